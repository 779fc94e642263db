/** What pino writes, and what we add to it. */
export interface LogLine {
  network?: string;
  account?: string;
  reason?: string;
  level: string;
  time: string;
  msg: string;
  requestId?: string;
  method?: string;
  route?: string;
  status?: number;
  ms?: number;
}
export interface BuiltService {
  url: string;
  pid: number;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill: (signal?: NodeJS.Signals) => boolean;
  stop: () => BuiltService['exited'];
  log: () => string;
  /** Those of the log that are JSON. */
  lines: () => LogLine[];
}
/** Runs the program and waits for the address in its log; fails with the log when the program ends before. */
export function start(settings: Record<string, string>, nodeArguments?: string[], main?: string): Promise<BuiltService>;
/** A folder that is gone after the test file's last test. */
export function temporaryFolder(after: (clean: () => void) => void): string;
/** For `fetch`. */
export function json(
  body: unknown,
  headers?: Record<string, string>,
): { headers: Record<string, string>; body: string };
