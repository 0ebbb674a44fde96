/** A thief with the keys that are encrypted in the database and direct access to the chain. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BN, BorshCoder, type Idl } from '@coral-xyz/anchor';
import {
  AuthorityType,
  TOKEN_PROGRAM_ID,
  createApproveInstruction,
  createCloseAccountInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction, TransactionInstruction, type AccountMeta } from '@solana/web3.js';
import { Config } from '../../apps/api/src/runtime/config';
import { EncryptionService } from '../../apps/api/src/secrets/encryption.service';
import { eventually } from '../support/eventually';
import { settingsOf } from '../support/operators';
import { sharedService } from '../support/service';
import { anAccount, chainBalance, bodyOf, operator, query, setPolicy, type TestAccount } from '../support/world';

jest.setTimeout(60_000);

const idl = JSON.parse(readFileSync(join(__dirname, '..', '..', 'libs', 'chain', 'program', 'agent_policy.json'), 'utf8')) as Idl & {
  errors: { code: number; name: string }[];
};
const coder = new BorshCoder(idl);
const { sandbox } = sharedService();
const [program, mint] = [new PublicKey(sandbox.program_id), new PublicKey(sandbox.usdc_mint)];
const connection = new Connection(sandbox.rpc_url, 'confirmed');

/** Pays his own fees, so that the service's fee payer need not sign. */
const wallet = Keypair.generate();
const feePayer = Keypair.fromSecretKey(Uint8Array.from(JSON.parse(settingsOf(sharedService()).FEE_PAYER_KEY ?? '') as number[]));
let loot: TestAccount;
beforeAll(async () => {
  await connection.requestAirdrop(wallet.publicKey, 1_000_000_000);
  loot = await anAccount();
});

interface Prey extends TestAccount {
  policy: PublicKey;
  authority: Keypair;
  operator: Keypair;
}

/** An account with 10 USDC under a policy, and its keys from the database. */
async function prey(policy: object = {}): Promise<Prey> {
  const account = await anAccount({ usdc: '10', policy });
  const settings = settingsOf(sharedService());
  const key = (name: string) => Buffer.from(settings[name] ?? '', 'base64');
  const sealing = new EncryptionService(
    Object.assign(new Config(), {
      KEY_ENCRYPTION_KEY: key('KEY_ENCRYPTION_KEY'),
      OPERATOR_KEY_ENCRYPTION_KEY: key('OPERATOR_KEY_ENCRYPTION_KEY'),
    }),
  );
  const [row] = await query(
    'SELECT a.authority_key_sealed, o.id, o.chain_key_sealed FROM accounts a JOIN operators o ON o.id = a.operator_id WHERE a.id = $1',
    [account.id],
  );
  return {
    ...account,
    policy: PublicKey.findProgramAddressSync([Buffer.from('policy'), new PublicKey(account.address).toBytes()], program)[0],
    authority: Keypair.fromSeed(sealing.unseal('account-authority', account.id, row?.authority_key_sealed)),
    operator: Keypair.fromSeed(sealing.unseal('operator-chain-key', row?.id, row?.chain_key_sealed)),
  };
}

type Accounts = Record<string, PublicKey | undefined>;

/** An account of an instruction, or a group that several instructions share. */
interface IdlAccount {
  name: string;
  writable?: boolean;
  signer?: boolean;
  accounts?: IdlAccount[];
}

function instruction(name: string, from: Prey, args: object, more: Accounts): TransactionInstruction {
  const known: Accounts = {
    account: new PublicKey(from.address),
    owner: new PublicKey(from.address),
    policy: from.policy,
    token_account: new PublicKey(from.tokenAccount),
    mint,
    token_program: TOKEN_PROGRAM_ID,
    creator: feePayer.publicKey,
    rent_recipient: feePayer.publicKey,
    payer: wallet.publicKey,
    system_program: PublicKey.default,
    ...more,
  };
  const metas = (idl.instructions.find((one) => one.name === name)?.accounts ?? []) as IdlAccount[];
  const keys = metas
    .flatMap((one) => one.accounts ?? [one])
    .map(({ name: one, writable = false, signer = false }): AccountMeta => {
      const pubkey = known[one];
      return pubkey ? { pubkey, isSigner: signer, isWritable: writable } : { pubkey: program, isSigner: false, isWritable: false };
    });
  return new TransactionInstruction({ programId: program, keys, data: coder.instruction.encode(name, args) });
}

function transfer(
  from: Prey,
  {
    amount = 1n,
    seq = 1n,
    category = null,
    hasMemo = false,
  }: { amount?: bigint; seq?: bigint; category?: string | null; hasMemo?: boolean } = {},
  more: Accounts = {},
): TransactionInstruction {
  const args = {
    seq: new BN(seq.toString()),
    transfer_id: Array(16).fill(7),
    amount: new BN(amount.toString()),
    category: category === null ? null : [...Buffer.alloc(32).fill(category, 0, category.length)],
    memo_hash: hasMemo ? Array(32).fill(1) : null,
  };
  return instruction(
    'transfer',
    from,
    { args },
    { authority: from.authority.publicKey, destination: new PublicKey(loot.tokenAccount), ...more },
  );
}

const unlimited = {
  expected_version: null,
  max_single_transfer: { Clear: {} },
  max_daily_spend: { Clear: {} },
  max_monthly_spend: { Clear: {} },
  max_lifetime_spend: { Clear: {} },
  max_session_cap: { Clear: {} },
  escalation_threshold: { Clear: {} },
  approval_above_daily_sum: { Clear: {} },
  valid_until: { Clear: {} },
  allowed_counterparties: { Clear: {} },
  categories: { Clear: {} },
  require_memo: false,
  paused: false,
};

/** Sends without preflight. Returns the error, or `done`. */
async function attempt(instructions: TransactionInstruction[], ...signers: Keypair[]): Promise<string> {
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: wallet.publicKey, blockhash, lastValidBlockHeight }).add(...instructions);
  transaction.sign(wallet, ...signers);
  const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  const { err } = await eventually(async () => {
    const status = (await connection.getSignatureStatus(signature)).value;
    if (!status) throw new Error('not seen yet');
    return status;
  });
  if (err === null) return 'done';
  const reason = (err as { InstructionError?: [number, { Custom?: number } | string] }).InstructionError?.[1];
  const code = typeof reason === 'object' ? reason.Custom : undefined;
  const name = idl.errors.find((one) => one.code === code)?.name;
  return name ? name.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase() : JSON.stringify(err);
}

const left = ({ tokenAccount }: Prey) => chainBalance(tokenAccount);

describe('a thief with an authority key', () => {
  test.each<[string, object, object]>([
    ['paused', { paused: true }, {}],
    ['max_single_transfer', { max_single_transfer: 1 }, { amount: 1_000_001n }],
    ['allowed_counterparties', { allowed_counterparties: [] }, {}],
    ['categories', { categories: ['food'] }, {}],
    ['categories', { categories: ['food'] }, { category: 'foo' }],
    ['require_memo', { require_memo: true }, {}],
    ['max_daily_spend', { max_daily_spend: 1 }, { amount: 1_000_001n }],
    ['insufficient_balance', {}, { amount: 10_000_001n }],
    ['escalation_threshold', { escalation_threshold: 1 }, { amount: 1_000_000n }],
  ])('a thief with the authority key cannot violate the rule %s', async (rule, policy, order) => {
    const victim = await prey(policy);
    expect(await attempt([transfer(victim, order)], victim.authority)).toBe(rule);
    expect(await left(victim)).toBe(10_000_000n);
  });

  test('a thief with the authority key cannot exceed the daily limit, by one transaction or several', async () => {
    const victim = await prey({ max_daily_spend: 1 });
    const parts = Array.from({ length: 4 }, (_, index) => transfer(victim, { amount: 300_000n, seq: BigInt(index + 1) }));
    expect(await attempt(parts, victim.authority)).toBe('max_daily_spend');
    expect(await left(victim)).toBe(10_000_000n);
    const outcomes = [];
    for (const part of parts) outcomes.push(await attempt([part], victim.authority));
    expect(outcomes).toEqual(['done', 'done', 'done', 'max_daily_spend']);
    expect(await attempt([transfer(victim, { amount: 100_001n, seq: 9n })], victim.authority)).toBe('max_daily_spend');
    expect(await left(victim)).toBe(9_100_000n);
  });

  test('a thief with the authority key cannot reuse a nonce or block the account by a jump of nonces', async () => {
    const victim = await prey({ max_daily_spend: 1 });
    expect(await attempt([transfer(victim, { seq: 1_025n })], victim.authority)).toBe('seq_too_far');
    expect(await attempt([transfer(victim, { seq: 1n })], victim.authority)).toBe('done');
    expect(await attempt([transfer(victim, { seq: 1n, amount: 2n })], victim.authority)).toBe('already_executed');
    expect(await attempt([transfer(victim, { seq: 3n }), transfer(victim, { seq: 3n })], victim.authority)).toBe('already_executed');
    expect(await left(victim)).toBe(9_999_999n);
    // The service still pays, with nonces of its own.
    bodyOf(
      await operator().post('/v1/transfers', { from: victim.id, to: loot.id, amount: '0.000001', idempotency_key: `after-${victim.id}` }),
      200,
    );
  });

  test('a thief with the authority key cannot approve, whichever other key signs', async () => {
    const victim = await prey({ escalation_threshold: 0 });
    for (const signer of [wallet, victim.authority, feePayer]) {
      expect(
        await attempt([transfer(victim, {}, { operator: signer.publicKey })], victim.authority, ...(signer === wallet ? [] : [signer])),
      ).toBe('wrong_operator');
    }
    expect(await left(victim)).toBe(10_000_000n);
  });

  test('a thief with the authority key cannot use another account’s policy, or the policy of one for the other', async () => {
    const [victim, other] = [await prey({ paused: true }), await prey()];
    expect(await attempt([transfer(victim, {}, { policy: other.policy })], victim.authority)).toBe('wrong_policy');
    expect(await attempt([transfer(other, {}, { authority: victim.authority.publicKey })], victim.authority)).toBe('wrong_authority');
    expect(
      await attempt(
        [transfer(victim, {}, { policy: other.policy, account: new PublicKey(other.address), authority: other.authority.publicKey })],
        other.authority,
      ),
    ).toBe('wrong_token_account');
    expect([await left(victim), await left(other)]).toEqual([10_000_000n, 10_000_000n]);
  });

  test('a thief with the authority key cannot move money by calling the token program', async () => {
    const victim = await prey();
    const [token, to] = [new PublicKey(victim.tokenAccount), new PublicKey(loot.tokenAccount)];
    for (const holder of [victim.authority, victim.operator, feePayer]) {
      const key = holder.publicKey;
      const ways = [
        createTransferCheckedInstruction(token, mint, to, key, 1n, 6),
        createApproveInstruction(token, key, key, 1n),
        createSetAuthorityInstruction(token, key, AuthorityType.AccountOwner, key),
        createCloseAccountInstruction(token, wallet.publicKey, key),
      ];
      for (const way of ways) expect(await attempt([way], holder)).toMatch('InstructionError');
    }
    expect(await left(victim)).toBe(10_000_000n);
  });

  test('a thief with the authority key cannot use the operator’s instructions', async () => {
    const victim = await prey({ paused: true });
    const thief = victim.authority.publicKey;
    const deeds = [
      instruction('set_policy', victim, { args: unlimited }, { operator: thief }),
      instruction('rotate_authority', victim, { new_authority: wallet.publicKey }, { operator: thief }),
      instruction('set_operator', victim, {}, { operator: thief, new_operator: wallet.publicKey }),
      instruction('close_account', victim, {}, { operator: thief }),
    ];
    for (const deed of deeds) expect(await attempt([deed], victim.authority)).toBe('wrong_operator');
    expect(await attempt([transfer(victim)], victim.authority)).toBe('paused');
  });
});

describe('a thief with an operator’s chain key', () => {
  test('a thief with the operator key cannot transfer without the authority, though he can name another one', async () => {
    const victim = await prey();
    expect(await attempt([transfer(victim, {}, { authority: victim.operator.publicKey })], victim.operator)).toBe('wrong_authority');
    const unsigned = transfer(victim, {}, { operator: victim.operator.publicKey });
    for (const key of unsigned.keys) if (key.pubkey.equals(victim.authority.publicKey)) key.isSigner = false;
    expect(await attempt([unsigned], victim.operator)).toMatch('3010');
    expect(
      await attempt(
        [instruction('rotate_authority', victim, { new_authority: victim.operator.publicKey }, { operator: victim.operator.publicKey })],
        victim.operator,
      ),
    ).toBe('keys_not_distinct');
    expect(await attempt([instruction('close_account', victim, {}, { operator: victim.operator.publicKey })], victim.operator)).toBe(
      'account_in_use',
    );
    expect(await left(victim)).toBe(10_000_000n);
  });

  test('a thief with the operator key can change limits by set_policy only; co-signing passes no rule but the threshold', async () => {
    const victim = await prey({ max_daily_spend: 1, escalation_threshold: 0 });
    const approved = { operator: victim.operator.publicKey };
    expect(await attempt([transfer(victim, { amount: 1_000_001n }, approved)], victim.authority, victim.operator)).toBe('max_daily_spend');
    expect(await attempt([instruction('set_policy', victim, { args: unlimited }, approved)], victim.operator)).toBe(
      'policy_version_required',
    );
    const { version } = bodyOf(await operator().get(`/v1/accounts/${victim.id}/policy`), 200);
    expect(
      await attempt(
        [instruction('set_policy', victim, { args: { ...unlimited, expected_version: new BN(version) } }, approved)],
        victim.operator,
      ),
    ).toBe('done');
    expect(bodyOf(await operator().get(`/v1/accounts/${victim.id}/policy`), 200)).toMatchObject({
      max_daily_spend: null,
      version: version + 1,
    });
    await setPolicy(victim, { max_daily_spend: 2 });
    expect(await attempt([transfer(victim, { amount: 2_000_001n })], victim.authority)).toBe('max_daily_spend');
  });
});
