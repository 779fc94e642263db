import { AsyncContext } from '../common/async-context';

type Parts = readonly (() => Promise<unknown>)[];

export type Answers<T extends Parts> = { -readonly [N in keyof T]: Awaited<ReturnType<T[N]>> };

const places = new AsyncContext<string>();

/** Where a statement stands among those that are asked for together: texts that compare as these follow each other. */
export const placeInRoundTrip = (): string => places.value ?? '';

/** Asks for all at once; whoever sends them puts them in order, whatever TypeORM does before it asks for each. */
export async function askTogether<const T extends Parts>(parts: T): Promise<Answers<T>> {
  const here = placeInRoundTrip();
  const answers = parts.map((part, n) => places.run(here + String.fromCharCode(n), part));
  await Promise.allSettled(answers);
  return (await Promise.all(answers)) as Answers<T>;
}

export async function askInTurn<const T extends Parts>(parts: T): Promise<Answers<T>> {
  const answers: unknown[] = [];
  for (const part of parts) {
    answers.push(await part());
  }
  return answers as Answers<T>;
}
