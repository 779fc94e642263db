import { Ajv } from 'ajv';
import * as schemas from './schemas.mjs';

const ajv = new Ajv({ allowUnionTypes: true });

export const isNewPet = ajv.compile(schemas.createPet);
export const isPetUpdate = ajv.compile(schemas.updatePet);
export const areUsers = ajv.compile(schemas.users);
