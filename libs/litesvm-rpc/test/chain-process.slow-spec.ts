/** The embedded chain as a process: what it does without requests, and what survives its death. */
import { Keypair, PublicKey, SystemProgram, SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { startEmbeddedChain, type EmbeddedChain } from '../src';
import { isAlive } from '#processes';
import { ChainClient, eventually, type Signed } from './chain-client';

const LAMPORTS = 1_000_000;

describe('the embedded chain’s process', () => {
  const root = mkdtempSync(join(tmpdir(), 'litesvm-rpc-process-'));
  const running: EmbeddedChain[] = [];
  const clients: ChainClient[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    for (const chain of running.splice(0)) await chain.stop();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const start = async (name: string) => {
    const chain = await startEmbeddedChain({ dataDir: join(root, name), programs: [] });
    const client = new ChainClient(chain);
    running.push(chain);
    clients.push(client);
    return { chain, client };
  };
  const kill = async ({ pid }: EmbeddedChain) => {
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(isAlive(pid)).toBe(false));
  };
  const move = (from: Keypair, toPubkey: PublicKey, lamports = LAMPORTS) =>
    SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports });

  it('the embedded chain loses no accepted transaction when it is killed during a burst', async () => {
    const { chain, client } = await start('burst');
    const payer = await client.fundedPayer();
    const { blockhash } = await client.connection.getLatestBlockhash();
    const genesis = await client.connection.getGenesisHash();
    const burst = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const to = Keypair.generate().publicKey;
        return { to, signed: await client.sign(payer, [move(payer, to)], { blockhash }) };
      }),
    );
    const accepted: typeof burst = [];
    const left = [...burst];
    // Fifty at once, so that some are always left when the process is killed.
    const sender = async (): Promise<void> => {
      for (let one = left.shift(); one; one = left.shift()) {
        const { result } = await client.send(one.signed).catch(() => ({ result: undefined }));
        if (result && accepted.push(one) === 100) process.kill(chain.pid, 'SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 50 }, sender));
    expect(accepted.length).toBeGreaterThanOrEqual(100);
    expect(accepted.length).toBeLessThan(300);

    const { client: again } = await start('burst');
    const landed = await landedOf(
      again,
      burst.map(({ signed }) => signed),
    );
    for (const { signed } of accepted) expect(landed).toContain(signed.signature);
    const balances = await Promise.all(burst.map(({ to }) => again.connection.getBalance(to)));
    expect(balances.filter((balance) => balance === LAMPORTS)).toHaveLength(landed.length);
    expect(balances.filter((balance) => balance !== 0 && balance !== LAMPORTS)).toEqual([]);
    expect(await again.connection.getBalance(payer.publicKey)).toBe(10e9 - landed.length * (LAMPORTS + 5_000));
    expect(await again.connection.getGenesisHash()).toBe(genesis);

    const [known, unknown] = [accepted[0]!, burst.find(({ signed }) => !landed.includes(signed.signature))!];
    expect((await again.send(known.signed)).error?.data.err).toBe('AlreadyProcessed');
    await again.send(known.signed, { skipPreflight: true });
    expect((await again.send(unknown.signed)).result).toBe(unknown.signed.signature);
    expect(await again.connection.getBalance(known.to)).toBe(LAMPORTS);
    expect((await again.connection.getTransaction(known.signed.signature))?.meta?.fee).toBe(5_000);
  });

  it('a restarted embedded chain continues above its last slot and accepts blockhashes from before it was killed', async () => {
    const { chain, client } = await start('slots');
    const payer = await client.fundedPayer();
    const to = Keypair.generate().publicKey;
    await client.call('sandbox_advanceSlots', { slots: 1_000 });
    const signed = await client.sign(payer, [move(payer, to)]);
    const slot = await client.connection.getSlot();
    await kill(chain);
    const { client: again } = await start('slots');
    expect(await again.connection.getSlot()).toBeGreaterThanOrEqual(slot);
    expect((await again.send(signed)).result).toBe(signed.signature);
  });

  it('the embedded chain accepts a blockhash for 150 slots and not for one more', async () => {
    const { client } = await start('expiry');
    const payer = await client.fundedPayer();
    const { blockhash, lastValidBlockHeight } = await client.connection.getLatestBlockhash();
    const signed = await Promise.all(
      [1, 2].map((n) => client.sign(payer, [move(payer, Keypair.generate().publicKey, n * LAMPORTS)], { blockhash })),
    );
    const advance = async (height: number) =>
      client.call('sandbox_advanceSlots', { slots: height - (await client.connection.getBlockHeight()) });
    await advance(lastValidBlockHeight - 3); // Slots advance meanwhile: leave a second.
    expect((await client.send(signed[0]!)).result).toBe(signed[0]!.signature);
    await advance(lastValidBlockHeight + 1);
    expect((await client.send(signed[1]!)).error?.data.err).toBe('BlockhashNotFound');
    expect((await client.connection.isBlockhashValid(blockhash)).value).toBe(false);
    expect((await client.send(signed[0]!)).error?.data.err).toBe('BlockhashNotFound');
  });

  it('a transaction is finalized after 32 slots, and subscribers are notified', async () => {
    const { client } = await start('finality');
    const payer = await client.fundedPayer();
    const signed = await client.land(payer, [move(payer, Keypair.generate().publicKey)]);
    expect(await client.statusOf(signed.signature)).toMatchObject({ confirmationStatus: 'confirmed' });
    const notified: unknown[] = [];
    client.connection.onSignature(signed.signature, (result) => notified.push(result), 'finalized');
    await client.connection.getSlot();
    await client.call('sandbox_advanceSlots', { slots: 32 });
    expect(await client.statusOf(signed.signature)).toMatchObject({
      confirmationStatus: 'finalized',
      confirmations: null,
    });
    await eventually(async () => expect(notified).toEqual([{ err: null }]));
  });

  it('sandbox_advanceClock moves the clock forward permanently', async () => {
    const { chain, client } = await start('clock');
    const programsSee = async (on: ChainClient) => {
      const { value } = await on.connection.getParsedAccountInfo(SYSVAR_CLOCK_PUBKEY);
      return (value!.data as { parsed: { info: { unixTimestamp: number } } }).parsed.info.unixTimestamp;
    };
    const { result } = await client.call('sandbox_advanceClock', { seconds: 86_400 });
    expect(result.now - Date.now() / 1_000).toBeGreaterThan(86_390);
    expect(await programsSee(client)).toBeGreaterThanOrEqual(result.now);
    await kill(chain);
    const { client: again } = await start('clock');
    expect(await programsSee(again)).toBeGreaterThanOrEqual(result.now);
    expect((await again.call('sandbox_info')).result).toMatchObject({ clockOffsetSeconds: 86_400 });
  });

  it.each([[{ seconds: 0 }], [{ seconds: -1 }], [{ seconds: 1.5 }], [{ seconds: 31_536_001 }], [{}], ['soon']])(
    'moves its clock by no such amount: %j',
    async (amount) => {
      const { client } = await start('clock');
      expect((await client.call('sandbox_advanceClock', amount)).error?.code).toBe(-32602);
    },
  );

  it('the embedded chain survives transactions with a flipped, missing or added byte', async () => {
    const { client } = await start('fuzz');
    const payer = await client.fundedPayer();
    const { bytes } = await client.sign(payer, [move(payer, Keypair.generate().publicKey)]);
    const mangled = [...bytes.keys()].flatMap((at) => [
      Buffer.concat([bytes.subarray(0, at), Buffer.from([bytes[at]! ^ 0x81]), bytes.subarray(at + 1)]),
      Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at + 1)]),
      bytes.subarray(0, at),
      Buffer.concat([bytes.subarray(0, at), Buffer.from([0]), bytes.subarray(at)]),
    ]);
    const calls = mangled.flatMap((one, id) => [
      {
        jsonrpc: '2.0',
        id,
        method: 'sendTransaction',
        params: [one.toString('base64'), { encoding: 'base64', skipPreflight: true }],
      },
      {
        jsonrpc: '2.0',
        id,
        method: 'simulateTransaction',
        params: [one.toString('base64'), { encoding: 'base64', replaceRecentBlockhash: true }],
      },
    ]);
    for (let at = 0; at < calls.length; at += 500) await client.post(JSON.stringify(calls.slice(at, at + 500)));
    expect((await client.call('getHealth')).result).toBe('ok');
  });

  it('the embedded chain survives malformed requests', async () => {
    const { chain, client } = await start('fuzz');
    const bodies = [
      '',
      'null',
      '1',
      '"text"',
      '[1,null,{}]',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":1,"method":"getBalance","params":{}}',
    ];
    for (const body of bodies) expect(JSON.stringify(await client.post(body))).toMatch(/"code":-32(600|700)/);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(chain.rpcUrl, { method: 'POST', headers, body: 'x'.repeat(2_000_000) })).status).toBe(413);
    expect((await fetch(chain.rpcUrl, { method: 'POST', body: '{}' })).status).toBe(415);
    expect((await fetch(chain.rpcUrl)).status).toBe(405);
    expect((await client.call('getHealth')).result).toBe('ok');
  });

  it('the embedded chain accepts WebSockets on its port and on the next, which web3.js uses', async () => {
    const { chain } = await start('sockets');
    const { port } = new URL(chain.rpcUrl);
    for (const url of [chain.wsUrl, `ws://127.0.0.1:${Number(port) + 1}`]) {
      const socket = new WebSocket(url);
      await once(socket, 'open');
      socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}');
      const [answer] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(answer.toString())).toMatchObject({ id: 1, result: expect.any(Number) });
      socket.close();
    }
  });

  it('a second embedded chain on the same directory fails to start', async () => {
    await start('own');
    await expect(start('own')).rejects.toThrow(`in use by process ${process.pid}`);
  });

  it('the embedded chain exits with its parent, and a new one continues from its state', async () => {
    const library = join(__dirname, '../../../dist/libs/litesvm-rpc/src/index.js');
    const script = `require(process.argv[1]).startEmbeddedChain({ dataDir: process.argv[2], programs: [] }).then(({ pid }) => process.send(pid))`;
    const parent = fork('-e', [], { execArgv: ['-e', script, library, join(root, 'orphan')] });
    const [pid] = (await once(parent, 'message')) as [number];
    parent.kill('SIGKILL');
    const { client } = await start('orphan');
    expect(isAlive(pid)).toBe(false);
    expect((await client.call('getHealth')).result).toBe('ok');
  });
});

async function landedOf(client: ChainClient, sent: Signed[]): Promise<string[]> {
  const landed: string[] = [];
  for (let at = 0; at < sent.length; at += 200) {
    const signatures = sent.slice(at, at + 200).map(({ signature }) => signature);
    const { value } = await client.connection.getSignatureStatuses(signatures);
    landed.push(...signatures.filter((_, n) => value[n]));
  }
  return landed;
}
