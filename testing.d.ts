// Where `moduleResolution` does not read `exports` (node10), TypeScript looks here.
export * from './dist/testing/index.js';
