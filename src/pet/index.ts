import { ClientAssignedPetId, Pet, PetTag } from './pet.entity';
import { PetPhoto } from './photo/pet-photo.entity';

export { PetModule } from './pet.module';
export { allPets, countPets, PetRecords } from './pet-records';

export const petEntities = [Pet, PetTag, ClientAssignedPetId, PetPhoto];
