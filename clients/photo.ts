import { strict as assert } from 'node:assert';

/** A photo of one pixel. */
export const PHOTO = new Blob([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
]);

/** The url of a photo leads to a picture. */
export async function readBack(baseUrl: string, url: string): Promise<void> {
  const answer = await fetch(new URL(url, baseUrl));
  assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [200, 'image/png']);
  assert.ok((await answer.arrayBuffer()).byteLength > 0);
}
