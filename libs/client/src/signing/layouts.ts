/** What the operator's chain key signs. Made of libs/chain/program/agent_policy.json by `npm run client:layouts`. Do not edit. */
import type { InstructionLayout, VariantLayout } from './layout/layout';

/** The address that the program was built with. */
export const PROGRAM_ID = '5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ';

export type AmountChange =
  | { kind: 'Keep'; }
  | { kind: 'Clear'; }
  | { kind: 'Set'; amount: bigint; };

export type ListChange =
  | { kind: 'Keep'; }
  | { kind: 'Clear'; }
  | { kind: 'Set'; entries: Uint8Array[]; }
  | { kind: 'Staged'; };

export type TimeChange =
  | { kind: 'Keep'; }
  | { kind: 'Clear'; }
  | { kind: 'Set'; unix_seconds: bigint; };

/** The accounts and arguments of each instruction. Amounts are micro-USDC, times seconds. */
export interface Operations {
  /** Approves a charge: a one-time key may move exactly the amount, inside the policy. */
  approve_charge: {
    accounts: { account: string; policy?: string; authority: string; operator?: string; token_account: string; mint: string; fleet?: string; fleet_policy?: string; delegate: string; token_program: string; };
    args: { seq: bigint; charge_id: Uint8Array; amount: bigint; category: Uint8Array | null; expires_in_seconds: number; purse: boolean; };
  };
  /** Closes an account permanently, transfers what is left and returns the rent. Operator only. */
  close_account: {
    accounts: { account: string; policy?: string; operator: string; token_account: string; mint: string; creator: string; destination?: string; token_program: string; fleet?: string; };
    args: { };
  };
  /** Closes a fleet without members permanently and returns the rent. Operator only. */
  close_fleet: {
    accounts: { fleet: string; policy: string; operator: string; creator: string; };
    args: { };
  };
  /** Creates a fleet with its limits, and its policy (no limits). Operator only; the creator pays the rent. */
  create_fleet: {
    accounts: { fleet: string; policy: string; operator: string; creator: string; system_program: string; };
    args: { id: Uint8Array; guardian: string | null; max_daily_spend: bigint | null; max_monthly_spend: bigint | null; max_lifetime_spend: bigint | null; };
  };
  /** Creates a draft for lists that do not fit in one transaction. Operator only. */
  create_policy_draft: {
    accounts: { owner: string; operator: string; payer: string; draft: string; system_program: string; fleet?: string; };
    args: { target_version: bigint; content_hash: Uint8Array; counterparty_count: number; category_count: number; };
  };
  /** Ends a member's own policy. Operator only. */
  end_policy: {
    accounts: { account: string; policy: string; operator: string; rent_recipient: string; fleet?: string; };
    args: { expected_version: bigint; };
  };
  /** Funds a channel purse: moves an amount to a one-time key that opens payment channels with it, inside the policy. */
  fund_channel: {
    accounts: { account: string; policy?: string; authority: string; operator?: string; token_account: string; mint: string; fleet?: string; fleet_policy?: string; purse: string; key: string; key_token_account: string; payer: string; token_program: string; system_program: string; };
    args: { seq: bigint; purse_id: Uint8Array; amount: bigint; category: Uint8Array | null; expires_in_seconds: number; purse_bump: number; key_bump: number; };
  };
  /** Adds an account of the same operator to a fleet. The fleet's operator or guardian. */
  join_fleet: {
    accounts: { account: string; fleet: string; operator: string; };
    args: { };
  };
  /** Takes an account out of its fleet. Operator only. */
  leave_fleet: {
    accounts: { account: string; fleet?: string; operator: string; policy: string; payer: string; system_program: string; };
    args: { };
  };
  /** Opens a session: moves a cap for one payee into escrow, inside the policy. */
  open_session: {
    accounts: { account: string; policy?: string; authority: string; operator?: string; token_account: string; mint: string; fleet?: string; fleet_policy?: string; session: string; escrow: string; payer: string; payee: string; payee_token_account: string; token_program: string; system_program: string; };
    args: { seq: bigint; session_id: Uint8Array; provider_hash: Uint8Array; cap: bigint; voucher_key: string; category: Uint8Array | null; expires_in_seconds: number; grace_seconds: number; session_bump: number; escrow_bump: number; payee_bump: number; };
  };
  /** Replaces the authority and finishes the open charge. Operator only. */
  rotate_authority: {
    accounts: { account: string; operator: string; token_account?: string; token_program?: string; fleet?: string; };
    args: { new_authority: string; };
  };
  /** Changes the named limits of a fleet. Operator only. */
  set_fleet_limits: {
    accounts: { fleet: string; operator: string; };
    args: { expected_version: bigint; max_daily_spend: AmountChange; max_monthly_spend: AmountChange; max_lifetime_spend: AmountChange; };
  };
  /** Replaces the operator of a fleet and of all its members: the old one signs, and the new one signs too or has accepted. */
  set_fleet_operator: {
    accounts: { fleet: string; operator: string; new_operator: string; instructions?: string; };
    args: { };
  };
  /** Replaces the operator: the old one signs, and the new one signs too or has accepted. */
  set_operator: {
    accounts: { account: string; operator: string; new_operator: string; instructions?: string; token_account?: string; token_program?: string; };
    args: { };
  };
  /** Changes the named fields of the policy of an account or a fleet. Operator only; a fleet's guardian may pause it. */
  set_policy: {
    accounts: { owner: string; policy: string; operator: string; payer: string; rent_recipient?: string; draft?: string; draft_rent_recipient?: string; system_program: string; token_account?: string; token_program?: string; fleet?: string; };
    args: { expected_version: bigint | null; max_single_transfer: AmountChange; max_daily_spend: AmountChange; max_monthly_spend: AmountChange; max_lifetime_spend: AmountChange; max_session_cap: AmountChange; escalation_threshold: AmountChange; approval_above_daily_sum: AmountChange; valid_until: TimeChange; allowed_counterparties: ListChange; categories: ListChange; require_memo: boolean | null; paused: boolean | null; };
  };
  /** Transfers money that arrived at a closed account. Its operator only. */
  sweep_closed_account: {
    accounts: { account: string; operator: string; token_account: string; mint: string; destination: string; token_program: string; fleet?: string; };
    args: { creator: string; id: Uint8Array; bump: number; };
  };
  /** Raises an open session's cap, inside the policy. */
  top_up_session: {
    accounts: { account: string; policy?: string; authority: string; operator?: string; token_account: string; mint: string; fleet?: string; fleet_policy?: string; session: string; escrow: string; token_program: string; };
    args: { seq: bigint; top_up_id: Uint8Array; amount: bigint; };
  };
  /** Transfers USDC to a token account, inside the policy. */
  transfer: {
    accounts: { account: string; policy?: string; authority: string; operator?: string; token_account: string; mint: string; fleet?: string; fleet_policy?: string; destination: string; token_program: string; };
    args: { seq: bigint; transfer_id: Uint8Array; amount: bigint; category: Uint8Array | null; memo_hash: Uint8Array | null; };
  };
  /** Takes back what a session owes to a payee that could not receive it for 90 days. Operator only. */
  write_off_session: {
    accounts: { account: string; session: string; escrow: string; mint: string; payee: string; payee_token_account: string; instructions?: string; token_program: string; fleet?: string; token_account: string; rent_payer: string; event_authority: string; program: string; operator: string; };
    args: { };
  };
  /** Writes a part of a draft. Operator only. */
  write_policy_draft: {
    accounts: { owner: string; operator: string; draft: string; fleet?: string; };
    args: { offset: number; content: Uint8Array; };
  };
}

export const INSTRUCTIONS: readonly InstructionLayout<keyof Operations>[] = [
  {
    name: 'approve_charge',
    discriminator: '61a5727e524c6065',
    accounts: [{"name":"account"},{"name":"policy","optional":true},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"fleet","optional":true},{"name":"fleet_policy","optional":true},{"name":"delegate"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"seq","type":"u64"},{"name":"charge_id","type":{"bytes":16}},{"name":"amount","type":"u64"},{"name":"category","type":{"option":{"bytes":32}}},{"name":"expires_in_seconds","type":"u32"},{"name":"purse","type":"bool"}],
  },
  {
    name: 'close_account',
    discriminator: '7dff950e6e224818',
    accounts: [{"name":"account"},{"name":"policy","optional":true},{"name":"operator"},{"name":"token_account"},{"name":"mint"},{"name":"creator"},{"name":"destination","optional":true},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"fleet","optional":true}],
    args: [],
  },
  {
    name: 'close_fleet',
    discriminator: 'fa0426d2538aaaf4',
    accounts: [{"name":"fleet"},{"name":"policy"},{"name":"operator"},{"name":"creator"}],
    args: [],
  },
  {
    name: 'create_fleet',
    discriminator: '4c7b5152ebe49ccb',
    accounts: [{"name":"fleet"},{"name":"policy"},{"name":"operator"},{"name":"creator"},{"name":"system_program","address":"11111111111111111111111111111111"}],
    args: [{"name":"id","type":{"bytes":16}},{"name":"guardian","type":{"option":"pubkey"}},{"name":"max_daily_spend","type":{"option":"u64"}},{"name":"max_monthly_spend","type":{"option":"u64"}},{"name":"max_lifetime_spend","type":{"option":"u64"}}],
  },
  {
    name: 'create_policy_draft',
    discriminator: '7c76d531462f2492',
    accounts: [{"name":"owner"},{"name":"operator"},{"name":"payer"},{"name":"draft"},{"name":"system_program","address":"11111111111111111111111111111111"},{"name":"fleet","optional":true}],
    args: [{"name":"target_version","type":"u64"},{"name":"content_hash","type":{"bytes":32}},{"name":"counterparty_count","type":"u16"},{"name":"category_count","type":"u16"}],
  },
  {
    name: 'end_policy',
    discriminator: '2505a64c5143f619',
    accounts: [{"name":"account"},{"name":"policy"},{"name":"operator"},{"name":"rent_recipient"},{"name":"fleet","optional":true}],
    args: [{"name":"expected_version","type":"u64"}],
  },
  {
    name: 'fund_channel',
    discriminator: '32430347bea914cf',
    accounts: [{"name":"account"},{"name":"policy","optional":true},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"fleet","optional":true},{"name":"fleet_policy","optional":true},{"name":"purse"},{"name":"key"},{"name":"key_token_account"},{"name":"payer"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"system_program","address":"11111111111111111111111111111111"}],
    args: [{"name":"seq","type":"u64"},{"name":"purse_id","type":{"bytes":16}},{"name":"amount","type":"u64"},{"name":"category","type":{"option":{"bytes":32}}},{"name":"expires_in_seconds","type":"u32"},{"name":"purse_bump","type":"u8"},{"name":"key_bump","type":"u8"}],
  },
  {
    name: 'join_fleet',
    discriminator: 'ff3a37c9fbbb9634',
    accounts: [{"name":"account"},{"name":"fleet"},{"name":"operator"}],
    args: [],
  },
  {
    name: 'leave_fleet',
    discriminator: 'ca4dad109304de23',
    accounts: [{"name":"account"},{"name":"fleet","optional":true},{"name":"operator"},{"name":"policy"},{"name":"payer"},{"name":"system_program","address":"11111111111111111111111111111111"}],
    args: [],
  },
  {
    name: 'open_session',
    discriminator: '82367c07ec146868',
    accounts: [{"name":"account"},{"name":"policy","optional":true},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"fleet","optional":true},{"name":"fleet_policy","optional":true},{"name":"session"},{"name":"escrow"},{"name":"payer"},{"name":"payee"},{"name":"payee_token_account"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"system_program","address":"11111111111111111111111111111111"}],
    args: [{"name":"seq","type":"u64"},{"name":"session_id","type":{"bytes":16}},{"name":"provider_hash","type":{"bytes":32}},{"name":"cap","type":"u64"},{"name":"voucher_key","type":"pubkey"},{"name":"category","type":{"option":{"bytes":32}}},{"name":"expires_in_seconds","type":"u32"},{"name":"grace_seconds","type":"u32"},{"name":"session_bump","type":"u8"},{"name":"escrow_bump","type":"u8"},{"name":"payee_bump","type":"u8"}],
  },
  {
    name: 'rotate_authority',
    discriminator: 'f8e197231c0f550c',
    accounts: [{"name":"account"},{"name":"operator"},{"name":"token_account","optional":true},{"name":"token_program","optional":true,"address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"fleet","optional":true}],
    args: [{"name":"new_authority","type":"pubkey"}],
  },
  {
    name: 'set_fleet_limits',
    discriminator: '1e59722ed5364d70',
    accounts: [{"name":"fleet"},{"name":"operator"}],
    args: [{"name":"expected_version","type":"u64"},{"name":"max_daily_spend","type":{"defined":"AmountChange"}},{"name":"max_monthly_spend","type":{"defined":"AmountChange"}},{"name":"max_lifetime_spend","type":{"defined":"AmountChange"}}],
  },
  {
    name: 'set_fleet_operator',
    discriminator: '42fce7e7b172910a',
    accounts: [{"name":"fleet"},{"name":"operator"},{"name":"new_operator"},{"name":"instructions","optional":true,"address":"Sysvar1nstructions1111111111111111111111111"}],
    args: [],
  },
  {
    name: 'set_operator',
    discriminator: 'ee9965a9f3832401',
    accounts: [{"name":"account"},{"name":"operator"},{"name":"new_operator"},{"name":"instructions","optional":true,"address":"Sysvar1nstructions1111111111111111111111111"},{"name":"token_account","optional":true},{"name":"token_program","optional":true,"address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [],
  },
  {
    name: 'set_policy',
    discriminator: '28850c9debca0284',
    accounts: [{"name":"owner"},{"name":"policy"},{"name":"operator"},{"name":"payer"},{"name":"rent_recipient","optional":true},{"name":"draft","optional":true},{"name":"draft_rent_recipient","optional":true},{"name":"system_program","address":"11111111111111111111111111111111"},{"name":"token_account","optional":true},{"name":"token_program","optional":true,"address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"fleet","optional":true}],
    args: [{"name":"expected_version","type":{"option":"u64"}},{"name":"max_single_transfer","type":{"defined":"AmountChange"}},{"name":"max_daily_spend","type":{"defined":"AmountChange"}},{"name":"max_monthly_spend","type":{"defined":"AmountChange"}},{"name":"max_lifetime_spend","type":{"defined":"AmountChange"}},{"name":"max_session_cap","type":{"defined":"AmountChange"}},{"name":"escalation_threshold","type":{"defined":"AmountChange"}},{"name":"approval_above_daily_sum","type":{"defined":"AmountChange"}},{"name":"valid_until","type":{"defined":"TimeChange"}},{"name":"allowed_counterparties","type":{"defined":"ListChange"}},{"name":"categories","type":{"defined":"ListChange"}},{"name":"require_memo","type":{"option":"bool"}},{"name":"paused","type":{"option":"bool"}}],
  },
  {
    name: 'sweep_closed_account',
    discriminator: '1bc375d468047f50',
    accounts: [{"name":"account"},{"name":"operator"},{"name":"token_account"},{"name":"mint"},{"name":"destination"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"fleet","optional":true}],
    args: [{"name":"creator","type":"pubkey"},{"name":"id","type":{"bytes":16}},{"name":"bump","type":"u8"}],
  },
  {
    name: 'top_up_session',
    discriminator: '262e16e9c9a7e21c',
    accounts: [{"name":"account"},{"name":"policy","optional":true},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"fleet","optional":true},{"name":"fleet_policy","optional":true},{"name":"session"},{"name":"escrow"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"seq","type":"u64"},{"name":"top_up_id","type":{"bytes":16}},{"name":"amount","type":"u64"}],
  },
  {
    name: 'transfer',
    discriminator: 'a334c8e78c0345ba',
    accounts: [{"name":"account"},{"name":"policy","optional":true},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"fleet","optional":true},{"name":"fleet_policy","optional":true},{"name":"destination"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"seq","type":"u64"},{"name":"transfer_id","type":{"bytes":16}},{"name":"amount","type":"u64"},{"name":"category","type":{"option":{"bytes":32}}},{"name":"memo_hash","type":{"option":{"bytes":32}}}],
  },
  {
    name: 'write_off_session',
    discriminator: 'ec037518b100ca32',
    accounts: [{"name":"account"},{"name":"session"},{"name":"escrow"},{"name":"mint"},{"name":"payee"},{"name":"payee_token_account"},{"name":"instructions","optional":true,"address":"Sysvar1nstructions1111111111111111111111111"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"fleet","optional":true},{"name":"token_account"},{"name":"rent_payer"},{"name":"event_authority"},{"name":"program","isProgram":true},{"name":"operator"}],
    args: [],
  },
  {
    name: 'write_policy_draft',
    discriminator: '56e40244ca8ee505',
    accounts: [{"name":"owner"},{"name":"operator"},{"name":"draft"},{"name":"fleet","optional":true}],
    args: [{"name":"offset","type":"u32"},{"name":"content","type":"bytes"}],
  },
];

export const ENUMS: Readonly<Record<string, readonly VariantLayout[]>> = {
  AmountChange: [{"kind":"Keep","fields":[]},{"kind":"Clear","fields":[]},{"kind":"Set","fields":[{"name":"amount","type":"u64"}]}],
  ListChange: [{"kind":"Keep","fields":[]},{"kind":"Clear","fields":[]},{"kind":"Set","fields":[{"name":"entries","type":{"vec":{"bytes":32}}}]},{"kind":"Staged","fields":[]}],
  TimeChange: [{"kind":"Keep","fields":[]},{"kind":"Clear","fields":[]},{"kind":"Set","fields":[{"name":"unix_seconds","type":"u64"}]}],
};
