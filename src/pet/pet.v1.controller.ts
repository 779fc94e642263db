import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Created, Current, Endpoint, Paged } from '../platform/http';
import { CurrentAttempt, type Attempt } from '../platform/idempotency';
import { CreatePetDto, createPetExamples } from './dto/create-pet.dto';
import { petExample, petView, PetView } from './dto/pet.view';
import { ListPetsQuery, PetPath } from './dto/read-pets.dto';
import { PET_NOT_FOUND } from './pet.problems';
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
    answer: {
      status: 201,
      type: PetView,
      description: 'The pet as stored; absent members are left out',
      example: petExample,
    },
    returns: Created,
  })
  async createPet(
    @Body() body: CreatePetDto,
    @CurrentAttempt() attempt: Attempt | undefined,
  ): Promise<Created<PetView>> {
    const pet = await this.pets.create(body, attempt);
    return new Created(pet, `/v1/pet/${pet.view.id}`);
  }

  @Get(':petId')
  @Endpoint({
    access: 'petReading',
    summary: 'Read a pet',
    description: 'What version 1 knows of it, whichever version has created it.',
    answer: { type: PetView, description: 'The pet', example: petExample },
    problems: [PET_NOT_FOUND],
    returns: Current,
  })
  async getPet(@Param() { petId }: PetPath): Promise<Current<PetView>> {
    return new Current(await this.pets.get(petId, petView));
  }

  @Get()
  @Endpoint({
    access: 'petReading',
    summary: 'List pets',
    description: 'In order of their ids; those that have all of the members that are asked for.',
    answer: { type: [PetView], description: 'A page of pets' },
    returns: Paged,
  })
  listPets(@Query() query: ListPetsQuery): Paged<PetView> {
    return new Paged(query, (page) => this.pets.list(query, page));
  }
}
