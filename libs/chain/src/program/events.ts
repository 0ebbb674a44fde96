/** Events of the program: from the logs of a transaction, and from its inner instructions. */
import type { PublicKey } from '@solana/web3.js';
import { coder } from './idl';
import type { EventFields } from './idl-types';

/** An event, with its fields by their names in the IDL. */
export type ProgramEvent = { [Name in keyof EventFields]: { name: Name; data: EventFields[Name] } }[keyof EventFields];

/** The fields of the first event of this name that matches. */
export function findEvent<Name extends keyof EventFields>(
  events: readonly ProgramEvent[],
  name: Name,
  matches: (data: EventFields[Name]) => boolean,
): EventFields[Name] | undefined {
  const all: readonly { name: string; data: unknown }[] = events;
  const isNamed = (event: { name: string; data: unknown }): event is { name: Name; data: EventFields[Name] } => event.name === name;
  return all.filter(isNamed).find(({ data }) => matches(data))?.data;
}

/** First bytes of the instruction by which a program calls itself to emit an event: Anchor's `EVENT_IX_TAG_LE`. */
const EVENT_INSTRUCTION_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');

const INVOKE = /^Program (\w+) invoke \[(\d+)\]$/;
const RETURN = /^Program \w+ (?:success$|failed)/;
const DATA = 'Program data: ';

/** An instruction by which a program may have called itself. */
export interface CalledInstruction {
  program: string;
  data: Buffer;
}

/**
 * The events that the program itself logged, at any depth of calls: each line belongs to the program on top of the invocation stack.
 * Nodes truncate logs after 10 KB, so a caller can hide these events. `calledEvents` reads those that must not be hidden.
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
      const event = decode(line.slice(DATA.length));
      if (event) events.push(event);
    }
  }
  return events;
}

/**
 * The events that the program emitted by calling itself. Nodes do not truncate inner instructions, and only the program can sign for
 * such a call: in a transaction that succeeded they are complete and genuine.
 */
export function calledEvents(programId: PublicKey, instructions: readonly CalledInstruction[]): ProgramEvent[] {
  return instructions.flatMap(({ program, data }) => {
    if (program !== programId.toBase58() || !data.subarray(0, EVENT_INSTRUCTION_TAG.length).equals(EVENT_INSTRUCTION_TAG)) return [];
    const event = decode(data.subarray(EVENT_INSTRUCTION_TAG.length).toString('base64'));
    return event ? [event] : [];
  });
}

function decode(base64: string): ProgramEvent | null {
  return coder.events.decode(base64) as ProgramEvent | null;
}
