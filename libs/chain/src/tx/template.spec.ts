import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { transferData } from '../orders/orders';
import type { TransferOrder } from '../orders/order.types';
import { categoryEntry } from '../policy/list-entries';
import { COMPUTE_UNITS } from '../program/compute-units';
import { coder, PROGRAM_ID, toBn } from '../program/idl';
import { instruction } from '../program/instruction';
import { compile, signTransaction } from './build';
import { LocalSigner } from './signing/signer';
import { MessageTemplate } from './template';

const address = (): PublicKey => new PublicKey(LocalSigner.generate().signer.address);
const [feePayer, authority] = [LocalSigner.generate().signer, LocalSigner.generate().signer];
const accounts = {
  account: address(),
  policy: address(),
  authority: new PublicKey(authority.address),
  operator: undefined,
  token_account: address(),
  mint: address(),
  destination: address(),
};
const RECENT = { blockhash: address().toBase58(), lastValidBlockHeight: 77 };

const order = (changes: Partial<TransferOrder>): TransferOrder => ({
  address: '',
  tokenAccount: '',
  destination: '',
  authority: '',
  approvedBy: null,
  transferId: Buffer.alloc(16, 7),
  microUsdc: 1_234_567n,
  category: null,
  memoHash: null,
  ...changes,
});
const draft = ({ transferId, microUsdc, category, memoHash }: TransferOrder, seq: bigint, microLamportsPerUnit = 5n) => {
  const args = {
    seq: toBn(seq),
    transfer_id: [...transferId],
    amount: toBn(microUsdc),
    category: category === null ? null : [...categoryEntry(category)],
    memo_hash: memoHash === null ? null : [...memoHash],
  };
  return {
    instructions: [instruction(PROGRAM_ID, 'transfer', accounts, { args })],
    feePayer: new PublicKey(feePayer.address),
    computeUnits: COMPUTE_UNITS.transfer,
    microLamportsPerUnit,
  };
};
const template = (price?: bigint) => new MessageTemplate(draft(order({}), 0n, price));

describe('MessageTemplate', () => {
  it.each<[string, Partial<TransferOrder>, bigint, bigint]>([
    ['neither category nor memo', {}, 1n, 5n],
    ['a category', { category: 'compute' }, 2n ** 40n, 5n],
    ['a memo', { memoHash: Buffer.alloc(32, 9) }, 2n ** 64n - 1n, 5n],
    ['both, and no priority fee', { category: 'compute', memoHash: Buffer.alloc(32, 9), microUsdc: 2n ** 64n - 1n }, 3n, 0n],
  ])('signs and simulates a transfer with %s as web3.js and the IDL’s coder do', async (_name, changes, seq, price) => {
    const [wanted, data] = [order(changes), transferData(order(changes), seq)];
    expect(data).toEqual(draft(wanted, seq).instructions[0]?.data);
    expect(await template(price).sign(data, RECENT, feePayer, [authority])).toEqual(
      await signTransaction(draft(wanted, seq, price), RECENT, [feePayer, authority]),
    );
    expect(Buffer.from(template(price).unsigned(data))).toEqual(
      Buffer.from(compile(draft(wanted, seq, price), PublicKey.default.toBase58()).serialize()),
    );
  });

  it('makes a transaction that web3.js and the coder read', async () => {
    const { bytes } = await template().sign(transferData(order({}), 9n), RECENT, feePayer, [authority]);
    const { message } = VersionedTransaction.deserialize(bytes);
    expect(message.recentBlockhash).toBe(RECENT.blockhash);
    const { data } = message.compiledInstructions.at(-1) ?? { data: new Uint8Array() };
    expect(coder.instruction.decode(Buffer.from(data))).toMatchObject({ name: 'transfer' });
  });

  it('is signed for any fee payer as web3.js signs it', async () => {
    const other = LocalSigner.generate().signer;
    const changed = { ...draft(order({}), 4n), feePayer: new PublicKey(other.address) };
    expect(await template().sign(transferData(order({}), 4n), RECENT, other, [authority])).toEqual(
      await signTransaction(changed, RECENT, [other, authority]),
    );
  });

  it('signs nothing without the key of each signer', async () => {
    await expect(template().sign(transferData(order({}), 9n), RECENT, feePayer, [])).rejects.toThrow(authority.address);
  });
});
