/** Each instruction rejects an account of another layout version. */
import type { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { anAccount, type TestAccount } from './support/account';
import { aChain, type TestChain } from './support/chain';
import { aFleet, type TestFleet } from './support/fleet';
import { TestChannelPurse, aChannelPurse } from './support/channel';
import { aSession, TestSession } from './support/session';

type Attempt = (account: TestAccount, session: TestSession) => TransactionInstruction | TransactionInstruction[];

const SPENDING: Record<string, Attempt> = {
  transfer: (account) => account.transfer(),
  open_session: (_account, session) => new TestSession(session.account, 2n).open(),
  top_up_session: (_account, session) => session.topUp(),
  approve_charge: (account) => account.approveCharge(),
  fund_channel: (account) => new TestChannelPurse(account, 2n).fund(),
  check_payment: (account, session) => account.checkPayment(session.address),
};
const WITH_POLICY: Record<string, Attempt> = {
  ...SPENDING,
  spending: (account) => account.spending(),
  set_policy: (account) => account.setPolicy({ maxDailySpend: 1n }, { expectedVersion: 1n }),
  close_account: (account) => account.close(),
};
const ON_SESSION: Record<string, Attempt> = {
  settle_session: (_account, session) => session.settle(1n),
  close_session: (_account, session) => session.close(1n),
  close_expired_session: (_account, session) => session.closeExpired(1n),
  write_off_session: (_account, session) => session.writeOff(),
  top_up_session: (_account, session) => session.topUp(),
  check_payment: (account, session) => account.checkPayment(session.address),
};
const WITH_ACCOUNT: Record<string, Attempt> = {
  ...WITH_POLICY,
  ...ON_SESSION,
  finish_charge: (account) => account.finishCharge(1n),
  rotate_authority: (account) => account.rotateAuthority(account.chain.aKey().publicKey),
  set_operator: (account) => account.setOperator(account.chain.aKey().publicKey),
  create_policy_draft: (account) => account.createDraft(account.aDraft({ targetVersion: 2n }).draft),
};

const ON_FLEET: Record<string, (fleet: TestFleet, member: TestAccount, other: TestAccount) => TransactionInstruction> = {
  'transfer of a member': (_fleet, member) => member.transfer(),
  'approve_charge of a member': (_fleet, member) => member.approveCharge(),
  set_policy: (fleet) => fleet.setPolicy({ maxDailySpend: 1n }),
  'set_policy of a member': (_fleet, member) => member.setPolicy({ maxDailySpend: 1n }),
  set_fleet_limits: (fleet) => fleet.setLimits({ daily: 1n }, {}, 1n),
  set_fleet_operator: (fleet) => fleet.setOperator(fleet.chain.aKey().publicKey),
  join_fleet: (fleet, _member, other) => fleet.join(other),
  leave_fleet: (_fleet, member) => member.leaveFleet(),
  end_policy: (_fleet, member) => member.endPolicy(),
  close_account: (_fleet, member) => member.close({ destination: member.payee }),
  close_fleet: (fleet) => fleet.close(),
  rotate_authority: (fleet, member) => member.rotateAuthority(fleet.chain.aKey().publicKey),
  fleet_spending: (fleet) => fleet.spending(),
};

describe('layout versions', () => {
  let chain: TestChain;
  let session: TestSession;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain);
    ({ account } = session);
  });

  /** The version is the first byte after the discriminator. */
  const refusalOfVersion2 = (address: PublicKey, attempt: Attempt): string => {
    const instructions = [attempt(account, session)].flat();
    chain.patch(address, (data) => data.writeUInt8(2, 8));
    return chain.errorOf(...instructions);
  };

  it.each(Object.entries(WITH_ACCOUNT))('%s rejects an AgentAccount of another layout version', (_name, attempt) => {
    expect(refusalOfVersion2(account.address, attempt)).toBe('UnsupportedVersion');
  });

  it.each(Object.entries(WITH_POLICY))('%s rejects a Policy of another layout version', (_name, attempt) => {
    expect(refusalOfVersion2(account.policy, attempt)).toBe('UnsupportedVersion');
  });

  it.each(Object.entries(ON_SESSION))('%s rejects a Session of another layout version', (_name, attempt) => {
    expect(refusalOfVersion2(session.address, attempt)).toBe('UnsupportedVersion');
  });

  it.each(['sweep', 'finish', 'close'] as const)(
    '%s_channel rejects an AgentAccount or a ChannelPurse of another layout version',
    (name) => {
      const owner = anAccount(chain);
      const purse = aChannelPurse(owner);
      for (const address of [owner.address, purse.address]) {
        chain.patch(address, (data) => data.writeUInt8(2, 8));
        expect(chain.errorOf(purse[name]())).toBe('UnsupportedVersion');
        chain.patch(address, (data) => data.writeUInt8(3, 8));
      }
      expect(chain.errorOf(purse.finish())).toBe('none');
    },
  );

  it.each(Object.entries(ON_FLEET))('%s rejects a Fleet of another layout version', (_name, attempt) => {
    const fleet = aFleet(chain);
    const instruction = attempt(fleet, fleet.aMember(), anAccount(chain, { operator: fleet.operator }));
    chain.patch(fleet.address, (data) => data.writeUInt8(2, 8));
    expect(chain.errorOf(instruction)).toBe('UnsupportedVersion');
  });

  it('write_policy_draft and close_policy_draft reject an AgentAccount of another layout version', () => {
    const staged = anAccount(chain);
    const { draft } = staged.aDraft();
    staged.stage(draft);
    chain.patch(staged.address, (data) => data.writeUInt8(2, 8));
    expect(chain.errorOf(staged.writeDraft(draft))).toBe('UnsupportedVersion');
    expect(chain.errorOf(staged.closeDraft(draft))).toBe('UnsupportedVersion');
  });
});
