/** What the operator's chain key signs. Made of libs/chain/program/agent_policy.json by `npm run client:layouts`. Do not edit. */
import type { InstructionLayout, VariantLayout } from './layout';

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

/** The accounts and arguments of each instruction. Amounts are micro-USDC, times seconds. */
export interface Operations {
  /** Approves a charge: a one-time key may move exactly the amount, inside the policy. */
  approve_charge: {
    accounts: { account: string; policy: string; authority: string; operator?: string; token_account: string; mint: string; delegate: string; token_program: string; };
    args: { seq: bigint; charge_id: Uint8Array; amount: bigint; category: Uint8Array | null; expires_in_seconds: number; purse: boolean; };
  };
  /** Closes an account permanently, transfers what is left and returns the rent. Operator only. */
  close_account: {
    accounts: { account: string; policy: string; operator: string; token_account: string; mint: string; creator: string; destination?: string; token_program: string; };
    args: { };
  };
  /** Creates a draft for lists that do not fit in one transaction. Operator only. */
  create_policy_draft: {
    accounts: { account: string; operator: string; payer: string; draft: string; system_program: string; };
    args: { target_version: bigint; content_hash: Uint8Array; counterparty_count: number; category_count: number; };
  };
  /** Opens a session: moves a cap for one payee into escrow, inside the policy. */
  open_session: {
    accounts: { account: string; policy: string; authority: string; operator?: string; token_account: string; mint: string; session: string; escrow: string; payer: string; payee: string; payee_token_account: string; token_program: string; system_program: string; };
    args: { seq: bigint; session_id: Uint8Array; provider_hash: Uint8Array; cap: bigint; voucher_key: string; category: Uint8Array | null; expires_in_seconds: number; grace_seconds: number; session_bump: number; escrow_bump: number; payee_bump: number; };
  };
  /** Replaces the authority and finishes the open charge. Operator only. */
  rotate_authority: {
    accounts: { account: string; operator: string; token_account?: string; token_program?: string; };
    args: { new_authority: string; };
  };
  /** Replaces the operator: the old one signs, and the new one signs too or has accepted. */
  set_operator: {
    accounts: { account: string; operator: string; new_operator: string; instructions?: string; token_account?: string; token_program?: string; };
    args: { };
  };
  /** Changes the named fields of the policy. Operator only. */
  set_policy: {
    accounts: { account: string; policy: string; operator: string; payer: string; rent_recipient: string; draft?: string; draft_rent_recipient?: string; system_program: string; token_account?: string; token_program?: string; };
    args: { expected_version: bigint | null; max_single_transfer: AmountChange; max_daily_spend: AmountChange; max_session_cap: AmountChange; escalation_threshold: AmountChange; allowed_counterparties: ListChange; categories: ListChange; require_memo: boolean | null; paused: boolean | null; };
  };
  /** Transfers money that arrived at a closed account. Its operator only. */
  sweep_closed_account: {
    accounts: { account: string; operator: string; token_account: string; mint: string; destination: string; token_program: string; };
    args: { };
  };
  /** Raises an open session's cap, inside the policy. */
  top_up_session: {
    accounts: { account: string; policy: string; authority: string; operator?: string; token_account: string; mint: string; session: string; escrow: string; token_program: string; };
    args: { seq: bigint; top_up_id: Uint8Array; amount: bigint; };
  };
  /** Transfers USDC to a token account, inside the policy. */
  transfer: {
    accounts: { account: string; policy: string; authority: string; operator?: string; token_account: string; mint: string; destination: string; token_program: string; };
    args: { seq: bigint; transfer_id: Uint8Array; amount: bigint; category: Uint8Array | null; memo_hash: Uint8Array | null; };
  };
  /** Takes back what a session owes to a payee that could not receive it for 90 days. Operator only. */
  write_off_session: {
    accounts: { account: string; session: string; escrow: string; mint: string; payee: string; payee_token_account: string; instructions?: string; token_program: string; token_account: string; rent_payer: string; event_authority: string; program: string; operator: string; };
    args: { };
  };
  /** Writes a part of a draft. Operator only. */
  write_policy_draft: {
    accounts: { account: string; operator: string; draft: string; };
    args: { offset: number; content: Uint8Array; };
  };
}

export const INSTRUCTIONS: readonly InstructionLayout<keyof Operations>[] = [
  {
    name: 'approve_charge',
    discriminator: '61a5727e524c6065',
    accounts: [{"name":"account"},{"name":"policy"},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"delegate"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"seq","type":"u64"},{"name":"charge_id","type":{"bytes":16}},{"name":"amount","type":"u64"},{"name":"category","type":{"option":{"bytes":32}}},{"name":"expires_in_seconds","type":"u32"},{"name":"purse","type":"bool"}],
  },
  {
    name: 'close_account',
    discriminator: '7dff950e6e224818',
    accounts: [{"name":"account"},{"name":"policy"},{"name":"operator"},{"name":"token_account"},{"name":"mint"},{"name":"creator"},{"name":"destination","optional":true},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [],
  },
  {
    name: 'create_policy_draft',
    discriminator: '7c76d531462f2492',
    accounts: [{"name":"account"},{"name":"operator"},{"name":"payer"},{"name":"draft"},{"name":"system_program","address":"11111111111111111111111111111111"}],
    args: [{"name":"target_version","type":"u64"},{"name":"content_hash","type":{"bytes":32}},{"name":"counterparty_count","type":"u16"},{"name":"category_count","type":"u16"}],
  },
  {
    name: 'open_session',
    discriminator: '82367c07ec146868',
    accounts: [{"name":"account"},{"name":"policy"},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"session"},{"name":"escrow"},{"name":"payer"},{"name":"payee"},{"name":"payee_token_account"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"system_program","address":"11111111111111111111111111111111"}],
    args: [{"name":"seq","type":"u64"},{"name":"session_id","type":{"bytes":16}},{"name":"provider_hash","type":{"bytes":32}},{"name":"cap","type":"u64"},{"name":"voucher_key","type":"pubkey"},{"name":"category","type":{"option":{"bytes":32}}},{"name":"expires_in_seconds","type":"u32"},{"name":"grace_seconds","type":"u32"},{"name":"session_bump","type":"u8"},{"name":"escrow_bump","type":"u8"},{"name":"payee_bump","type":"u8"}],
  },
  {
    name: 'rotate_authority',
    discriminator: 'f8e197231c0f550c',
    accounts: [{"name":"account"},{"name":"operator"},{"name":"token_account","optional":true},{"name":"token_program","optional":true,"address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"new_authority","type":"pubkey"}],
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
    accounts: [{"name":"account"},{"name":"policy"},{"name":"operator"},{"name":"payer"},{"name":"rent_recipient"},{"name":"draft","optional":true},{"name":"draft_rent_recipient","optional":true},{"name":"system_program","address":"11111111111111111111111111111111"},{"name":"token_account","optional":true},{"name":"token_program","optional":true,"address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"expected_version","type":{"option":"u64"}},{"name":"max_single_transfer","type":{"defined":"AmountChange"}},{"name":"max_daily_spend","type":{"defined":"AmountChange"}},{"name":"max_session_cap","type":{"defined":"AmountChange"}},{"name":"escalation_threshold","type":{"defined":"AmountChange"}},{"name":"allowed_counterparties","type":{"defined":"ListChange"}},{"name":"categories","type":{"defined":"ListChange"}},{"name":"require_memo","type":{"option":"bool"}},{"name":"paused","type":{"option":"bool"}}],
  },
  {
    name: 'sweep_closed_account',
    discriminator: '1bc375d468047f50',
    accounts: [{"name":"account"},{"name":"operator"},{"name":"token_account"},{"name":"mint"},{"name":"destination"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [],
  },
  {
    name: 'top_up_session',
    discriminator: '262e16e9c9a7e21c',
    accounts: [{"name":"account"},{"name":"policy"},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"session"},{"name":"escrow"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"seq","type":"u64"},{"name":"top_up_id","type":{"bytes":16}},{"name":"amount","type":"u64"}],
  },
  {
    name: 'transfer',
    discriminator: 'a334c8e78c0345ba',
    accounts: [{"name":"account"},{"name":"policy"},{"name":"authority"},{"name":"operator","optional":true},{"name":"token_account"},{"name":"mint"},{"name":"destination"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}],
    args: [{"name":"seq","type":"u64"},{"name":"transfer_id","type":{"bytes":16}},{"name":"amount","type":"u64"},{"name":"category","type":{"option":{"bytes":32}}},{"name":"memo_hash","type":{"option":{"bytes":32}}}],
  },
  {
    name: 'write_off_session',
    discriminator: 'ec037518b100ca32',
    accounts: [{"name":"account"},{"name":"session"},{"name":"escrow"},{"name":"mint"},{"name":"payee"},{"name":"payee_token_account"},{"name":"instructions","optional":true,"address":"Sysvar1nstructions1111111111111111111111111"},{"name":"token_program","address":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"},{"name":"token_account"},{"name":"rent_payer"},{"name":"event_authority"},{"name":"program","isProgram":true},{"name":"operator"}],
    args: [],
  },
  {
    name: 'write_policy_draft',
    discriminator: '56e40244ca8ee505',
    accounts: [{"name":"account"},{"name":"operator"},{"name":"draft"}],
    args: [{"name":"offset","type":"u32"},{"name":"content","type":"bytes"}],
  },
];

export const ENUMS: Readonly<Record<string, readonly VariantLayout[]>> = {
  AmountChange: [{"kind":"Keep","fields":[]},{"kind":"Clear","fields":[]},{"kind":"Set","fields":[{"name":"amount","type":"u64"}]}],
  ListChange: [{"kind":"Keep","fields":[]},{"kind":"Clear","fields":[]},{"kind":"Set","fields":[{"name":"entries","type":{"vec":{"bytes":32}}}]},{"kind":"Staged","fields":[]}],
};
