import { Body, Controller, HttpCode, Put, UseFilters, UseGuards } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, BearerGuard } from '../auth';
import { Raises } from '../http';
import { UpdatePetDto, updatePetExamples } from './dto/update-pet.dto';
import { PET_NOT_FOUND, VALIDATION_EXCEPTION } from './pet.problems';
import { PetService } from './pet.service';
import { UpdatePetFilter } from './update-pet.filter';

@ApiTags('pet')
@Controller({ path: 'pet', version: '2' })
@UseGuards(BearerGuard)
export class PetV2Controller {
  constructor(private readonly pets: PetService) {}

  @ApiOperation({
    operationId: 'updatePet',
    summary: 'Update a pet',
    description:
      'Replaces the v2 representation whole: optional members that are absent are cleared. Never creates a pet.',
  })
  @ApiBody({ type: UpdatePetDto, examples: updatePetExamples })
  @ApiOkResponse({ description: 'The pet is updated' })
  @ApiBadRequestResponse({
    description: 'Invalid ID supplied: `id` is missing or not an id. This answer alone has no body',
  })
  @Raises(VALIDATION_EXCEPTION, PET_NOT_FOUND)
  @Put()
  @HttpCode(200)
  @Access('token')
  @UseFilters(UpdatePetFilter)
  update(@Body() body: UpdatePetDto): Promise<void> {
    return this.pets.update(body);
  }
}
