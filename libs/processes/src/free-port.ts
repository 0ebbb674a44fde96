/** Free loopback ports. */
import { createServer } from 'node:net';

/** A port of 127.0.0.1 that was free a moment ago. Another process may bind it first: the caller retries with another port. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('No loopback port could be found.'));
        else resolve(address.port);
      });
    });
  });
}
