import { version } from 'litesvm/package.json';
import * as binding from './litesvm';

describe('the internal binding of litesvm', () => {
  test('the litesvm binding has the version that it was checked against', () => expect(version).toBe(binding.CHECKED_VERSION));

  test('the litesvm binding restores a machine from its bytes, with accounts set by raw address', () => {
    const svm = new binding.LiteSvm();
    const address = new Uint8Array(32).fill(7);
    svm.setAccount(address, new binding.Account(5n, new Uint8Array([1, 2]), new Uint8Array(32), false, 0n));
    const restored = binding.LiteSvm.fromBytes(svm.toBytes());
    expect(restored.getBalance(address)).toBe(5n);
    expect([...restored.getAccount(address)!.data()]).toEqual([1, 2]);
  });

  test.each(Object.entries(binding).filter(([name]) => name !== 'CHECKED_VERSION'))(
    'the litesvm binding exports the class %s',
    (_, exported) => expect(exported).toEqual(expect.any(Function)),
  );
});
