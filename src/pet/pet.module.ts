import { Module } from '@nestjs/common';
import { MulterModule } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../platform/config';
import { PetRecords } from './pet-records';
import { Pet } from './pet.entity';
import { PetService } from './pet.service';
import { PetV1Controller } from './pet.v1.controller';
import { PetV2Controller } from './pet.v2.controller';
import { PetPhoto } from './photo/pet-photo.entity';
import { multerOptions } from './photo/photo-file';
import { PhotoWriter } from './photo/photo-writer';
import { PhotoService } from './photo/photo.service';
import { PhotoV2Controller } from './photo/photo.v2.controller';

@Module({
  imports: [
    TypeOrmModule.forFeature([Pet, PetPhoto]),
    MulterModule.registerAsync({ inject: [Config], useFactory: multerOptions }),
  ],
  controllers: [PetV1Controller, PetV2Controller, PhotoV2Controller],
  providers: [PetService, PetRecords, PhotoService, PhotoWriter],
})
export class PetModule {}
