import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res, UseFilters } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  answerPage,
  answerVersion,
  Conditions,
  Endpoint,
  Form,
  LINK_HEADER,
  RequestConditions,
  tellVersion,
} from '../http';
import { CurrentAttempt, type Attempt } from '../idempotency';
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
      400: { description: 'Invalid ID supplied: `id` is missing or not an id. This answer alone has no body' },
    },
    validation: VALIDATION_EXCEPTION,
    problems: [PET_NOT_FOUND],
    versioned: 'changed',
  })
  @UseFilters(UpdatePetFilter)
  async updatePet(
    @Body() body: UpdatePetDto,
    @RequestConditions() conditions: Conditions,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    tellVersion(res, await this.pets.update(body, conditions));
  }

  @Post()
  @Endpoint({
    access: 'petCreation',
    summary: 'Add a pet',
    description: 'Keeps the `id` that it brings if no pet has it; without one, or with 0, the server gives one.',
    examples: addPetExamples,
    answer: {
      type: PetV2View,
      description: 'The pet as stored; absent members are left out',
      example: petV2Example,
      headers: {
        'Content-Location': { description: 'Where it can be read', required: true, schema: { type: 'string' } },
      },
    },
    problems: [PET_ID_TAKEN],
    versioned: 'made',
  })
  async addPet(
    @Body() body: AddPetDto,
    @CurrentAttempt() attempt: Attempt | undefined,
    @Res({ passthrough: true }) res: Response,
  ): Promise<PetV2View> {
    const { view, version } = await this.pets.add(body, attempt);
    tellVersion(res, version);
    res.set('Content-Location', `/v2/pet/${view.id}`);
    return view;
  }

  @Get('findByStatus')
  @Endpoint({
    access: 'petReading',
    operationId: 'findPetsByStatus',
    summary: 'Find pets by status',
    description: 'In order of their ids; those that have any of the statuses.',
    answer: { type: [PetV2View], description: 'A page of pets', headers: LINK_HEADER },
  })
  findByStatus(@Query() query: FindPetsByStatusQuery, @Res({ passthrough: true }) res: Response): Promise<PetV2View[]> {
    return answerPage(res, query, (page) => this.pets.findByStatus(query.status, page));
  }

  @Get('findByTags')
  @Endpoint({
    access: 'petReading',
    operationId: 'findPetsByTags',
    summary: 'Find pets by the names of tags',
    description: 'In order of their ids; those that have any of the tags, each once.',
    answer: { type: [PetV2View], description: 'A page of pets', headers: LINK_HEADER },
  })
  findByTags(@Query() query: FindPetsByTagsQuery, @Res({ passthrough: true }) res: Response): Promise<PetV2View[]> {
    return answerPage(res, query, (page) => this.pets.findByTags(query.tags, page));
  }

  @Get(':petId')
  @Endpoint({
    access: 'petReading',
    operationId: 'getPetById',
    summary: 'Read a pet',
    answer: { type: PetV2View, description: 'The pet, as PUT accepts it', example: petV2Example },
    problems: [PET_NOT_FOUND],
    versioned: 'read',
  })
  async getPetById(
    @Param() { petId }: PetPath,
    @RequestConditions() conditions: Conditions,
    @Res({ passthrough: true }) res: Response,
  ): Promise<PetV2View | undefined> {
    return answerVersion(res, await this.pets.get(petId, petV2View), conditions);
  }

  @Post(':petId')
  @Endpoint({
    access: 'token',
    summary: 'Update name and status of a pet',
    description: 'Members that are absent stay as they are.',
    answer: { description: 'The pet is updated' },
    problems: [PET_NOT_FOUND],
    versioned: 'changed',
  })
  async updatePetWithForm(
    @Param() { petId }: PetPath,
    @Form() form: UpdatePetWithFormDto,
    @RequestConditions() conditions: Conditions,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    tellVersion(res, await this.pets.patch(petId, form, conditions));
  }

  @Delete(':petId')
  @Endpoint({
    access: 'token',
    summary: 'Delete a pet',
    description: 'The server never gives its id again. The `ETag` is of the deletion: no pet has it.',
    answer: { description: 'The pet is deleted' },
    problems: [PET_NOT_FOUND],
    versioned: 'changed',
  })
  async deletePet(
    @Param() { petId }: PetPath,
    @RequestConditions() conditions: Conditions,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    tellVersion(res, await this.pets.delete(petId, conditions));
  }
}
