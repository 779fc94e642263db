// No index of class-transformer shows what its decorators say; Nest's own mapped types import it from here, too.
declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
