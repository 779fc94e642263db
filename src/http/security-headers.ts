import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Sets the headers of helmet, which are the same on every answer and so are worked out once. */
export function securityHeaders(): (req: unknown, res: ServerResponse) => void {
  const headers: [string, string][] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  helmet()({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return (_, res) => headers.forEach(([name, value]) => res.setHeader(name, value));
}
