/** The OpenAPI document, made from the table of operations, and a page to read and try it. */
export { openApiDocument } from './document';
export { inOpenApi30 } from './edition';
export { OpenApiModule } from './openapi.module';
export { ServedDocument } from './served-document';
