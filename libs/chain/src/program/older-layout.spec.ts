/** A sandbox folder of an older version of the program is recognised by the layout of its accounts. */
import { hasOlderAccounts } from './older-layout';
import { PROGRAM_ADDRESS } from './program-file';
import { coder } from './idl';

type Filters = { memcmp: { offset: number; bytes: string } }[];

/** A node that answers `getProgramAccounts` for one account with this layout version. */
async function withAccountOf(version: number, use: (rpcUrl: string) => Promise<void>): Promise<void> {
  const { createServer } = await import('node:http');
  const { default: bs58 } = await import('bs58');
  const discriminator = coder.accounts.accountDiscriminator('AgentAccount');
  const data = Buffer.concat([discriminator, Buffer.of(version)]);
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { id, params } = JSON.parse(body) as { id: string; params: [string, { filters: Filters }] };
      const matches = params[1].filters.every(({ memcmp: { offset, bytes } }) => {
        const wanted = bs58.decode(bytes);
        return data.subarray(offset, offset + wanted.length).equals(Buffer.from(wanted));
      });
      const account = { data: ['', 'base64'], executable: false, lamports: 1, owner: PROGRAM_ADDRESS, rentEpoch: 0 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: matches ? [{ pubkey: PROGRAM_ADDRESS, account }] : [] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('accounts of layout versions 1 and 2 are older, and those of version 3 are not', async () => {
  for (const older of [1, 2]) await withAccountOf(older, async (rpcUrl) => expect(await hasOlderAccounts(rpcUrl)).toBe(true));
  await withAccountOf(3, async (rpcUrl) => expect(await hasOlderAccounts(rpcUrl)).toBe(false));
});
