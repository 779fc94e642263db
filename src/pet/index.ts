import { Pet, PetTag } from './pet.entity';

export { PetModule } from './pet.module';

export const petEntities = [Pet, PetTag];
