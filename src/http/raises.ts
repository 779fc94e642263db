import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { ProblemKind } from '../common/problem';

const MARK = 'x-raises:';

/**
 * Names the problems that a handler can answer, for the OpenAPI document. Those that any operation meets,
 * and those of reading a body, are added by the document. May stand more than once on a handler.
 */
export const Raises = (...kinds: ProblemKind[]) =>
  applyDecorators(...kinds.map((kind) => ApiExtension(MARK + kind.type, kind)));

/** Takes what `Raises` left on an operation of the document off again. */
export function takeRaised(operation: object): ProblemKind[] {
  const marks = Object.entries(operation).filter(([key]) => key.startsWith(MARK));
  return marks.map(([key, kind]) => {
    delete operation[key as keyof typeof operation];
    return kind as ProblemKind;
  });
}
