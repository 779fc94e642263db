export interface BuiltService {
  url: string;
  stop: () => Promise<{ code: number | null; signal: string | null }>;
  log: () => string;
  /** Those of the log that are JSON. */
  lines: () => { level: string }[];
}
export function start(settings: Record<string, string>): Promise<BuiltService>;
