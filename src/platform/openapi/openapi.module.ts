import { Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller';
import { ServedDocument } from './served-document';

@Module({ controllers: [OpenApiController], providers: [ServedDocument] })
export class OpenApiModule {}
