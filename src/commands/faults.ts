import type { Problem } from '../platform/common/problem';

/** What is wrong with the one element of a list, for people: a member's name stands where the pointer was. */
export const faultsOf = ({ extra: { errors = [] } }: Problem): string[] =>
  errors.map(({ pointer, detail }) => [...pointer.split('/').slice(2), detail].join(' '));
