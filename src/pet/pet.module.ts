import { Module } from '@nestjs/common';
import { PetRecords } from './pet-records';
import { PetService } from './pet.service';
import { PetV1Controller } from './pet.v1.controller';
import { PetV2Controller } from './pet.v2.controller';

@Module({
  controllers: [PetV1Controller, PetV2Controller],
  providers: [PetService, PetRecords],
})
export class PetModule {}
