import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Access, BearerGuard } from '../auth';
import { CreatePetDto } from './dto/create-pet.dto';
import type { PetView } from './dto/pet.view';
import { PetService } from './pet.service';

@Controller({ path: 'pet', version: '1' })
@UseGuards(BearerGuard)
export class PetV1Controller {
  constructor(private readonly pets: PetService) {}

  @Post()
  @HttpCode(201)
  @Access('petCreation')
  create(@Body() body: CreatePetDto): Promise<PetView> {
    return this.pets.create(body);
  }
}
