import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually';
import { Batcher, type BatcherOptions } from './batcher';

/** A batcher whose batches end when `end` is called, oldest first. */
function stage(options?: BatcherOptions) {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher<string, string>(async (items) => {
    batches.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    return items.map((item) => (item === 'bad' ? Promise.reject(new Error('a bad item')) : `done ${item}`));
  }, options);
  return { batcher, batches, end: () => ends.shift()?.() };
}

describe('Batcher', () => {
  it('begins with an item that comes alone at once', async () => {
    const { batcher, batches, end } = stage();
    const outcome = batcher.add('a');
    await turn();
    expect(batches).toEqual([['a']]);
    end();
    expect(await outcome).toBe('done a');
  });

  it('takes what came while a batch ran as the next batch, in order', async () => {
    const { batcher, batches, end } = stage();
    const first = batcher.add('a');
    await turn();
    const others = [batcher.add('b'), batcher.add('c')];
    await turn();
    expect(batches).toEqual([['a']]);
    end();
    await first;
    await turn();
    end();
    expect(await Promise.all(others)).toEqual(['done b', 'done c']);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('rejects a bad item alone', async () => {
    const { batcher, end } = stage();
    const outcomes = Promise.allSettled(['a', 'bad', 'b'].map((item) => batcher.add(item)));
    await turn();
    end();
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('rejects every item of a batch that throws, and works on the next one', async () => {
    let isBroken = true;
    const batcher = new Batcher<string, string>(async (items) => {
      if (isBroken) throw new Error('lost');
      return items;
    });
    const outcomes = await Promise.allSettled([batcher.add('a'), batcher.add('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await batcher.add('c')).toBe('c');
  });

  it('rejects the items of a batch that has not an outcome for each', async () => {
    await expect(new Batcher<string, string>(async () => []).add('a')).rejects.toThrow('0 outcomes');
  });

  it('begins the next batch while an outcome of the last one is not known yet', async () => {
    let known: (outcome: string) => void = () => undefined;
    const late = new Promise<string>((resolve) => (known = resolve));
    const batcher = new Batcher<string, string>(async (items) => items.map((item) => (item === 'late' ? late : item)));
    const outcome = batcher.add('late');
    expect(await batcher.add('a')).toBe('a');
    known('at last');
    expect(await outcome).toBe('at last');
  });

  it('begins the next batch while the last one hangs', async () => {
    const { batcher, batches, end } = stage({ patienceMs: 1 });
    const first = batcher.add('a');
    await turn();
    const second = batcher.add('b');
    await eventually(() => expect(batches).toEqual([['a'], ['b']]));
    end();
    end();
    expect(await Promise.all([first, second])).toEqual(['done a', 'done b']);
  });

  it('bounds a batch, and runs as many at once as its width', async () => {
    const { batcher, batches, end } = stage({ most: 2, width: 2 });
    const outcomes = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => batcher.add(item)));
    await turn();
    await turn();
    expect(batches).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    end();
    end();
    await turn();
    await turn();
    end();
    expect(await outcomes).toHaveLength(5);
  });
});
