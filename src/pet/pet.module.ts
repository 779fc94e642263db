import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { DatabaseModule } from '../database';
import { PetService } from './pet.service';
import { PetV1Controller } from './pet.v1.controller';
import { PetV2Controller } from './pet.v2.controller';

@Module({
  imports: [AuthModule, DatabaseModule],
  controllers: [PetV1Controller, PetV2Controller],
  providers: [PetService],
})
export class PetModule {}
