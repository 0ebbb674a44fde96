/** The embedded chain passes the suite that solana-test-validator passes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedChain, type EmbeddedChain } from '../src';
import { chainSuite } from './chain.suite';

const dataDir = mkdtempSync(join(tmpdir(), 'litesvm-rpc-chain-'));
let running: EmbeddedChain | undefined;

afterAll(async () => {
  await running?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

chainSuite('the embedded chain', async () => (running = await startEmbeddedChain({ dataDir, programs: [] })));
