import { connect } from 'node:net';

/** Sends bytes as they are and answers what comes back until the server closes, or until `enough` holds of it. */
export function exchange(url: string, bytes: string, enough: RegExp = /^$/): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (enough.test(answer)) {
        socket.destroy();
      }
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
    socket.write(bytes, 'latin1');
  });
}
