import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { answerPage, answerVersion, Conditions, Endpoint, LINK_HEADER, RequestConditions, tellVersion } from '../http';
import { CurrentAttempt, type Attempt } from '../idempotency';
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
      headers: { Location: { description: 'Where it can be read', required: true, schema: { type: 'string' } } },
    },
    versioned: 'made',
  })
  async createPet(
    @Body() body: CreatePetDto,
    @CurrentAttempt() attempt: Attempt | undefined,
    @Res({ passthrough: true }) res: Response,
  ): Promise<PetView> {
    const { view, version } = await this.pets.create(body, attempt);
    tellVersion(res, version);
    res.set('Location', `/v1/pet/${view.id}`);
    return view;
  }

  @Get(':petId')
  @Endpoint({
    access: 'petReading',
    summary: 'Read a pet',
    answer: { type: PetView, description: 'The pet', example: petExample },
    problems: [PET_NOT_FOUND],
    versioned: 'read',
  })
  async getPet(
    @Param() { petId }: PetPath,
    @RequestConditions() conditions: Conditions,
    @Res({ passthrough: true }) res: Response,
  ): Promise<PetView | undefined> {
    return answerVersion(res, await this.pets.get(petId, petView), conditions);
  }

  @Get()
  @Endpoint({
    access: 'petReading',
    summary: 'List pets',
    description: 'In order of their ids; those that have all of the members that are asked for.',
    answer: { type: [PetView], description: 'A page of pets', headers: LINK_HEADER },
  })
  listPets(@Query() query: ListPetsQuery, @Res({ passthrough: true }) res: Response): Promise<PetView[]> {
    return answerPage(res, query, (page) => this.pets.list(query, page));
  }
}
