import { Body, Controller, Put, UseFilters } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '../http';
import { UpdatePetDto, updatePetExamples } from './dto/update-pet.dto';
import { PET_NOT_FOUND, VALIDATION_EXCEPTION } from './pet.problems';
import { PetService } from './pet.service';
import { UpdatePetFilter } from './update-pet.filter';

@ApiTags('pet')
@Controller({ path: 'pet', version: '2' })
export class PetV2Controller {
  constructor(private readonly pets: PetService) {}

  @Put()
  @Endpoint({
    access: 'token',
    summary: 'Update a pet',
    description:
      'Replaces the v2 representation whole: optional members that are absent are cleared. Never creates a pet.',
    examples: updatePetExamples,
    answer: { description: 'The pet is updated' },
    answers: {
      400: { description: 'Invalid ID supplied: `id` is missing or not an id. This answer alone has no body' },
    },
    validation: VALIDATION_EXCEPTION,
    problems: [PET_NOT_FOUND],
  })
  @UseFilters(UpdatePetFilter)
  updatePet(@Body() body: UpdatePetDto): Promise<void> {
    return this.pets.update(body);
  }
}
