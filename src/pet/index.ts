export { PetModule } from './pet.module';
