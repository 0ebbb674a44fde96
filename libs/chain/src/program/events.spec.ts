import { PublicKey } from '@solana/web3.js';
import { calledEvents, loggedEvents } from './events';
import { PROGRAM_ID } from './idl';

const US = PROGRAM_ID.toBase58();
const OTHER = PublicKey.default.toBase58();
/** A `PolicyChanged` event of the default account, version 3, paused: its discriminator, then its fields. */
const EVENT = Buffer.concat([
  Buffer.from(discriminator('PolicyChanged')),
  Buffer.alloc(32),
  Buffer.from([3, 0, 0, 0, 0, 0, 0, 0]),
  Buffer.from([1]),
]);
const LINE = `Program data: ${EVENT.toString('base64')}`;

function discriminator(name: string): number[] {
  const { events } = jest.requireActual<{ events: { name: string; discriminator: number[] }[] }>('../../program/agent_policy.json');
  return events.find((event) => event.name === name)?.discriminator ?? [];
}

const namesIn = (logs: string[]): string[] => loggedEvents(PROGRAM_ID, logs).map(({ name }) => name);

describe('loggedEvents', () => {
  it.each<[string, string[], number]>([
    ['at the top level', [`Program ${US} invoke [1]`, LINE, `Program ${US} success`], 1],
    [
      'called by another program',
      [`Program ${OTHER} invoke [1]`, `Program ${US} invoke [2]`, LINE, `Program ${US} success`, `Program ${OTHER} success`],
      1,
    ],
    [
      'after a call of its own has returned',
      [`Program ${US} invoke [1]`, `Program ${OTHER} invoke [2]`, `Program ${OTHER} success`, LINE],
      1,
    ],
    [
      'after a failed top-level call',
      [`Program ${OTHER} invoke [1]`, `Program ${OTHER} failed: custom program error: 0x1`, `Program ${US} invoke [1]`, LINE],
      1,
    ],
    [
      'of two instructions',
      [`Program ${US} invoke [1]`, LINE, `Program ${US} success`, `Program ${US} invoke [1]`, LINE, `Program ${US} success`],
      2,
    ],
  ])('loggedEvents reads an event of the program %s', (_where, logs, count) => {
    expect(namesIn(logs)).toEqual(Array(count).fill('PolicyChanged'));
  });

  it.each<[string, string[]]>([
    ['another program', [`Program ${OTHER} invoke [1]`, LINE, `Program ${OTHER} success`]],
    ['a program that the program called', [`Program ${US} invoke [1]`, `Program ${OTHER} invoke [2]`, LINE, `Program ${OTHER} success`]],
    [
      'another program after the program has returned',
      [`Program ${OTHER} invoke [1]`, `Program ${US} invoke [2]`, `Program ${US} success`, LINE],
    ],
    [
      'another program whose message imitates an invocation',
      [`Program ${OTHER} invoke [1]`, `Program log: x\nProgram ${US} invoke [1]`, LINE],
    ],
    ['no program', [LINE]],
  ])('loggedEvents ignores an event logged by %s', (_who, logs) => {
    expect(namesIn(logs)).toEqual([]);
  });

  it('loggedEvents ignores data that is not an event', () => {
    expect(namesIn([`Program ${US} invoke [1]`, 'Program data: AAAA', `Program ${US} success`])).toEqual([]);
  });
});

describe('calledEvents', () => {
  const called = (program: string, data: Buffer) => calledEvents(PROGRAM_ID, [{ program, data }]);
  const TAG = Buffer.from('e445a52e51cb9a1d', 'hex');

  it('calledEvents reads an event of the program’s call to itself', () => {
    expect(called(US, Buffer.concat([TAG, EVENT])).map(({ name }) => name)).toEqual(['PolicyChanged']);
  });

  it('calledEvents ignores the same call to another program, and other calls to the program', () => {
    expect(called(OTHER, Buffer.concat([TAG, EVENT]))).toEqual([]);
    expect(called(US, EVENT)).toEqual([]);
  });
});
