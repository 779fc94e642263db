import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '../http';
import { CreatePetDto, createPetExamples } from './dto/create-pet.dto';
import { petExample, PetView } from './dto/pet.view';
import { PetService } from './pet.service';

@ApiTags('pet')
@Controller({ path: 'pet', version: '1' })
export class PetV1Controller {
  constructor(private readonly pets: PetService) {}

  @Post()
  @Endpoint({
    access: 'petCreation',
    summary: 'Create a pet',
    description: 'Accepts `owner_id`, or a nested `owner`, or both when their ids agree.',
    examples: createPetExamples,
    repeatable: true,
    answer: {
      status: 201,
      type: PetView,
      description: 'The pet as stored; absent members are left out',
      example: petExample,
    },
  })
  createPet(@Body() body: CreatePetDto): Promise<PetView> {
    return this.pets.create(body);
  }
}
