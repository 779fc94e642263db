// Parts of the libraries that their own index does not show; they come with types, but elsewhere.
declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
declare module 'class-validator/cjs/validation/ValidationUtils' {
  export { ValidationUtils } from 'class-validator/types/validation/ValidationUtils';
}
