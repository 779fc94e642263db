import type { Response } from 'express';

/** The setting of the Express app that says what addresses in answers begin with, see PUBLIC_URL. */
export const PUBLIC_URL = 'public url';

/** Where clients find a path of ours. */
export const publicAddress = (res: Response, path: string): string => `${res.app.get(PUBLIC_URL)}${path}`;
