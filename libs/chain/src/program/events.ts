/** Events of the program: from the logs of a transaction, and from its inner instructions. */
import type { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { coder } from './idl';

/** An event with its fields, by their names in the IDL. */
export interface ProgramEvent {
  name: string;
  data: Record<string, unknown>;
}

/** First bytes of an instruction that a program calls itself with to emit an event: Anchor's `EVENT_IX_TAG_LE`. */
const EVENT_INSTRUCTION_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');

const INVOKE = /^Program (\w+) invoke \[(\d+)\]$/;
const RETURN = /^Program \w+ (?:success$|failed)/;
const DATA = 'Program data: ';

/** An instruction that another one called, as `getTransaction` shows it in the encoding `json`. */
export interface InnerInstruction {
  programIdIndex: number;
  /** Base58. */
  data: string;
}

/**
 * The events that the program itself logged, whoever called it: each line belongs to the program on top of the invocation stack.
 * Nodes cut logs after 10 KB, so a caller can hide these. What must not be hidden is read by `calledEvents`.
 */
export function loggedEvents(programId: PublicKey, logs: readonly string[]): ProgramEvent[] {
  const id = programId.toBase58();
  const stack: string[] = [];
  const events: ProgramEvent[] = [];
  for (const line of logs) {
    const [, program, depth] = INVOKE.exec(line) ?? [];
    if (program !== undefined) {
      stack.length = Math.min(stack.length, Number(depth) - 1);
      stack.push(program);
    } else if (RETURN.test(line)) {
      stack.pop();
    } else if (line.startsWith(DATA) && stack.at(-1) === id) {
      const event = coder.events.decode(line.slice(DATA.length));
      if (event) events.push(event);
    }
  }
  return events;
}

/**
 * The events that the program emitted by calling itself. Nodes keep inner instructions whole, and only the program can sign for
 * such a call: in a transaction that succeeded they are complete and genuine.
 */
export function calledEvents(
  programId: PublicKey,
  keyOf: (index: number) => PublicKey | undefined,
  instructions: readonly InnerInstruction[],
): ProgramEvent[] {
  return instructions.flatMap(({ programIdIndex, data }) => {
    if (!keyOf(programIdIndex)?.equals(programId)) return [];
    const bytes = Buffer.from(bs58.decode(data));
    if (!bytes.subarray(0, EVENT_INSTRUCTION_TAG.length).equals(EVENT_INSTRUCTION_TAG)) return [];
    const event = coder.events.decode(bytes.subarray(EVENT_INSTRUCTION_TAG.length).toString('base64'));
    return event ? [event] : [];
  });
}
