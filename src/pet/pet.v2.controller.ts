import { Body, Controller, HttpCode, Put, UseFilters, UseGuards } from '@nestjs/common';
import { Access, BearerGuard } from '../auth';
import { UpdatePetDto } from './dto/update-pet.dto';
import { PetService } from './pet.service';
import { UpdatePetFilter } from './update-pet.filter';

@Controller({ path: 'pet', version: '2' })
@UseGuards(BearerGuard)
export class PetV2Controller {
  constructor(private readonly pets: PetService) {}

  @Put()
  @HttpCode(200)
  @Access('token')
  @UseFilters(UpdatePetFilter)
  update(@Body() body: UpdatePetDto): Promise<void> {
    return this.pets.update(body);
  }
}
