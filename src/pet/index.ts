import { Pet, PetTag } from './pet.entity';

export { PetModule } from './pet.module';
export { allPets, countPets, PetRecords } from './pet-records';

export const petEntities = [Pet, PetTag];
