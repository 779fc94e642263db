import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, BearerGuard } from '../auth';
import { VALIDATION_FAILED } from '../common/problem';
import { Raises } from '../http';
import { CreatePetDto, createPetExamples } from './dto/create-pet.dto';
import { petExample, PetView } from './dto/pet.view';
import { PetService } from './pet.service';

@ApiTags('pet')
@Controller({ path: 'pet', version: '1' })
@UseGuards(BearerGuard)
export class PetV1Controller {
  constructor(private readonly pets: PetService) {}

  @ApiOperation({
    operationId: 'createPet',
    summary: 'Create a pet',
    description: 'Takes `owner_id`, or a nested `owner`, or both when their ids agree.',
  })
  @ApiBody({ type: CreatePetDto, examples: createPetExamples })
  @ApiCreatedResponse({
    type: PetView,
    description: 'The pet as stored; absent members are left out',
    example: petExample,
  })
  @Raises(VALIDATION_FAILED)
  @Post()
  @HttpCode(201)
  @Access('petCreation')
  create(@Body() body: CreatePetDto): Promise<PetView> {
    return this.pets.create(body);
  }
}
