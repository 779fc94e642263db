import type { ValueTransformer } from 'typeorm';
import { parseJson, writeJson } from '../common/json';

/** JSON in a text column; integers keep every digit. */
export const jsonColumn: ValueTransformer = {
  to: (value: unknown) => (value == null ? null : writeJson(value)),
  from: (text: string | null) => (text === null ? null : parseJson(text)),
};
