import type { OpenAPIObject } from '@nestjs/swagger';

type Node = Record<string, unknown>;

/**
 * The same document in OpenAPI 3.0.3, which many generators and importers still ask for. It has other words for null
 * and for examples in schemas; everything else in the document is the same in both.
 */
export const inOpenApi30 = (document: OpenAPIObject): OpenAPIObject => ({
  ...(reworded(document) as OpenAPIObject),
  openapi: '3.0.3',
});

function reworded(node: unknown): unknown {
  if (Array.isArray(node)) {
    return node.map(reworded);
  }
  if (typeof node !== 'object' || node === null) {
    return node;
  }
  const { type, anyOf, examples, ...others } = node as Node;
  const rest = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, LITERAL.has(name) ? value : reworded(value)]),
  );
  const alternatives = Array.isArray(anyOf) ? (anyOf as Node[]).filter((schema) => schema.type !== 'null') : undefined;
  const isNullable = alternatives?.length === 1 || (Array.isArray(type) && type.includes('null'));
  return {
    ...rest,
    ...(type !== undefined && { type: Array.isArray(type) ? (type as string[]).find((one) => one !== 'null') : type }),
    // `nullable` stands beside a type only; what is named by $ref and may be null is an object of ours.
    ...(alternatives && { [isNullable ? 'allOf' : 'anyOf']: alternatives.map(reworded), type: 'object' }),
    ...(isNullable && { nullable: true }),
    ...(Array.isArray(examples) ? { example: examples[0] as unknown } : examples !== undefined && { examples }),
  };
}

/** What stands under these names is a value, not a schema. */
const LITERAL = new Set(['example', 'default', 'enum']);
