export { openApiDocument } from './document';
export { serveDocs } from './page';
