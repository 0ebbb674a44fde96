import { join } from 'node:path';
import { readFileIfAny, writePrivateFile } from './private-file';

/** What a running sandbox tells to the tools and tests of its owner, in `sandbox.json`. */
export interface SandboxFacts {
  base_url: string;
  operator_key: string;
  rpc_url: string;
  ws_url: string;
  usdc_mint: string;
  program_id: string;
  database_url: string;
}

export function writeSandboxFile(dataDir: string, facts: SandboxFacts): void {
  writePrivateFile(pathIn(dataDir), `${JSON.stringify(facts, null, 2)}\n`);
}

/** One fact that an earlier start wrote, if it did. */
export function rememberedFact(dataDir: string, name: keyof SandboxFacts): string | undefined {
  const text = readFileIfAny(pathIn(dataDir));
  const facts: unknown = text === undefined ? undefined : JSON.parse(text);
  const fact: unknown = typeof facts === 'object' && facts !== null ? Reflect.get(facts, name) : undefined;
  return typeof fact === 'string' ? fact : undefined;
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'sandbox.json');
}
