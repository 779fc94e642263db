import { createApp } from '../app';
import type { Config } from '../config';
import { UserService } from '../user';

/** Works with the users of a database that no server of ours has open, where that is SQLite. */
export async function withUsers<T>(config: Config, work: (users: UserService) => Promise<T>): Promise<T> {
  const app = await createApp({ ...config, logLevel: 'silent' });
  try {
    return await work(app.get(UserService, { strict: false }));
  } finally {
    await app.close();
  }
}
