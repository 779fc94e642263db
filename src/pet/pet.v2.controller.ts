import { Body, Controller, Delete, Get, Param, Post, Put, Query, UseFilters } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Changed, Conditions, Created, Current, Endpoint, Form, Paged, RequestConditions } from '../platform/http';
import { CurrentAttempt, type Attempt } from '../platform/idempotency';
import { petV2Example, PetV2View, petV2View } from './dto/pet.view';
import { FindPetsByStatusQuery, FindPetsByTagsQuery, PetPath } from './dto/read-pets.dto';
import { AddPetDto, addPetExamples, UpdatePetDto, updatePetExamples, UpdatePetWithFormDto } from './dto/update-pet.dto';
import { PET_ID_TAKEN, PET_NOT_FOUND, VALIDATION_EXCEPTION } from './pet.problems';
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
      // Another 400 has a body; OpenAPI cannot say that there may be one.
      400: {
        description: 'Invalid ID supplied: `id` is missing or not an id. This answer alone has no body',
        content: {},
      },
    },
    validation: VALIDATION_EXCEPTION,
    problems: [PET_NOT_FOUND],
    returns: Changed,
  })
  @UseFilters(UpdatePetFilter)
  async updatePet(@Body() body: UpdatePetDto, @RequestConditions() conditions: Conditions): Promise<Changed> {
    return new Changed(await this.pets.update(body, conditions));
  }

  @Post()
  @Endpoint({
    access: 'petCreation',
    summary: 'Add a pet',
    description: 'Keeps the `id` that it brings if no pet has it; without one, or with 0, the server gives one.',
    examples: addPetExamples,
    answer: {
      status: 200,
      type: PetV2View,
      description: 'The pet as stored; absent members are left out',
      example: petV2Example,
    },
    problems: [PET_ID_TAKEN],
    returns: Created,
  })
  async addPet(@Body() body: AddPetDto, @CurrentAttempt() attempt: Attempt | undefined): Promise<Created<PetV2View>> {
    const pet = await this.pets.add(body, attempt);
    return new Created(pet, `/v2/pet/${pet.view.id}`);
  }

  @Get('findByStatus')
  @Endpoint({
    access: 'petReading',
    operationId: 'findPetsByStatus',
    summary: 'Find pets by status',
    description: 'In order of their ids; those that have any of the statuses.',
    answer: { type: [PetV2View], description: 'A page of pets' },
    returns: Paged,
  })
  findByStatus(@Query() query: FindPetsByStatusQuery): Paged<PetV2View> {
    return new Paged(query, (page) => this.pets.findByStatus(query.status, page));
  }

  @Get('findByTags')
  @Endpoint({
    access: 'petReading',
    operationId: 'findPetsByTags',
    summary: 'Find pets by the names of tags',
    description: 'In order of their ids; those that have any of the tags, each once.',
    answer: { type: [PetV2View], description: 'A page of pets' },
    returns: Paged,
  })
  findByTags(@Query() query: FindPetsByTagsQuery): Paged<PetV2View> {
    return new Paged(query, (page) => this.pets.findByTags(query.tags, page));
  }

  @Get(':petId')
  @Endpoint({
    access: 'petReading',
    operationId: 'getPetById',
    summary: 'Read a pet',
    description:
      'A client may have given the pet an id past 2^53, which `JSON.parse` of JavaScript rounds: read the answer with a ' +
      'parser that keeps large integers exact.',
    answer: { type: PetV2View, description: 'The pet, as PUT accepts it', example: petV2Example },
    problems: [PET_NOT_FOUND],
    returns: Current,
  })
  async getPetById(@Param() { petId }: PetPath): Promise<Current<PetV2View>> {
    return new Current(await this.pets.get(petId, petV2View));
  }

  @Post(':petId')
  @Endpoint({
    access: 'token',
    summary: 'Update name and status of a pet',
    description: 'Members that are absent stay as they are. Each may come in the form or in the query.',
    answer: { status: 200, type: PetV2View, description: 'The pet as it is now', example: petV2Example },
    problems: [PET_NOT_FOUND],
    returns: Changed,
  })
  async updatePetWithForm(
    @Param() { petId }: PetPath,
    @Form() form: UpdatePetWithFormDto,
    @RequestConditions() conditions: Conditions,
  ): Promise<Changed<PetV2View>> {
    const { view, version } = await this.pets.patch(petId, form, conditions);
    return new Changed(version, view);
  }

  @Delete(':petId')
  @Endpoint({
    access: 'token',
    summary: 'Delete a pet',
    description: 'The server never gives its id again. The `ETag` is of the deletion: no pet has it.',
    answer: { description: 'The pet is deleted' },
    problems: [PET_NOT_FOUND],
    returns: Changed,
  })
  async deletePet(@Param() { petId }: PetPath, @RequestConditions() conditions: Conditions): Promise<Changed> {
    return new Changed(await this.pets.delete(petId, conditions));
  }
}
