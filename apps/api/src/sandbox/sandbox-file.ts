import { join } from 'node:path';
import { readFileIfAny, writePrivateFile } from './private-file';

/** The facts that tools and tests need of a running sandbox, in `sandbox.json`. */
export interface SandboxFacts {
  base_url: string;
  operator_key: string;
  rpc_url: string;
  ws_url: string;
  usdc_mint: string;
  program_id: string;
  database_url: string;
  /** On a chain that carries them: the program payment-channels, and the token account of its treasury. */
  channels_program?: string;
  channels_treasury?: string;
}

/** Stores the facts, readable by the owner of the file only. */
export function writeSandboxFile(dataDir: string, facts: SandboxFacts): void {
  writePrivateFile(pathIn(dataDir), `${JSON.stringify(facts, null, 2)}\n`);
}

/** A fact that an earlier start has stored; undefined if there is none. */
export function storedFact(dataDir: string, name: keyof SandboxFacts): string | undefined {
  const text = readFileIfAny(pathIn(dataDir));
  const facts: unknown = text === undefined ? undefined : JSON.parse(text);
  const fact: unknown = typeof facts === 'object' && facts !== null ? Reflect.get(facts, name) : undefined;
  return typeof fact === 'string' ? fact : undefined;
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'sandbox.json');
}
