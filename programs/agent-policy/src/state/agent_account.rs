//! One agent's account: its keys, what it has spent, and which numbers are used up.
use anchor_lang::prelude::*;

use super::{ReplayWindow, SpendWindow};
use crate::constants::ACCOUNT_SEED;

/// PDA `["account", creator, id]`. It owns the USDC token account. Fields are only ever added, out of `unused`.
#[account(zero_copy)]
pub struct AgentAccount {
    /// Layout of this account.
    pub version: u8,
    /// Bump of its own address.
    pub bump: u8,
    /// Decimals of the mint.
    pub mint_decimals: u8,
    /// Alignment.
    pub padding: [u8; 5],
    /// Id chosen by the creator.
    pub id: [u8; 16],
    /// Who created it, paid its rent and gets the rent back. Never changes.
    pub creator: Pubkey,
    /// Sets the policy and co-signs at or above the escalation threshold.
    pub operator: Pubkey,
    /// Spends, inside the policy.
    pub authority: Pubkey,
    /// The only mint.
    pub mint: Pubkey,
    /// The associated token account of this address.
    pub token_account: Pubkey,
    /// Micro-USDC of open sessions and charges that may still be paid out; counts against `max_daily_spend`.
    pub reserved: u64,
    /// Number of open sessions.
    pub open_sessions: u32,
    /// Alignment.
    pub padding_2: [u8; 4],
    /// What left in the last 24 hours.
    pub window: SpendWindow,
    /// Spent sequence numbers.
    pub replay: ReplayWindow,
    /// Room for later fields; zero until then.
    pub unused: [u8; 256],
}

impl AgentAccount {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of its address; `bump` is the stored one.
    pub fn seeds<'a>(creator: &'a Pubkey, id: &'a [u8; 16], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [ACCOUNT_SEED, creator.as_ref(), id, bump]
    }
}
