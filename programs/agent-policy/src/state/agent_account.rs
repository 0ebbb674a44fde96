//! One agent's account: its keys, what it has spent, and which numbers are used up.
use anchor_lang::prelude::*;

use super::{ReplayWindow, SpendWindow};
use crate::{constants::ACCOUNT_SEED, errors::PolicyError};

/// The one charge of an account: a key that may move `amount` out of its token account.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct Charge {
    /// The service's id of the charge.
    pub id: [u8; 16],
    /// The SPL delegate; kept after the charge is over, so that it is not used twice running.
    pub delegate: Pubkey,
    /// Micro-USDC approved; 0 when no charge is open.
    pub amount: u64,
    /// The sequence number that approved it.
    pub seq: u64,
    /// Unix seconds from which on anybody may finish it.
    pub deadline: i64,
}

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
    /// Number of sessions that ended while their payee could not receive: what they owe is claimed with this account's help.
    pub owed_sessions: u32,
    /// What left in the last 24 hours.
    pub window: SpendWindow,
    /// Spent sequence numbers.
    pub replay: ReplayWindow,
    /// The charge that is open, if one is.
    pub charge: Charge,
    /// Room for later fields; zero until then.
    pub unused: [u8; 184],
}

impl AgentAccount {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of its address; `bump` is the stored one.
    pub fn seeds<'a>(creator: &'a Pubkey, id: &'a [u8; 16], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [ACCOUNT_SEED, creator.as_ref(), id, bump]
    }

    /// Whether `key` has a part in this account already, and so is none for anything else.
    pub fn has_key(&self, key: &Pubkey) -> bool {
        [self.creator, self.operator, self.authority, self.token_account].contains(key)
    }

    /// Whether a charge is open: its key may move money.
    pub fn has_open_charge(&self) -> bool {
        self.charge.amount > 0
    }

    /// Hold `amount` against the daily limit: it has not left yet and may at any time.
    pub fn reserve(&mut self, amount: u64) -> Result<()> {
        self.reserved = self.reserved.checked_add(amount).ok_or(PolicyError::Overflow)?;
        Ok(())
    }

    /// Of `held`, which was reserved, `left` has left at `now` (unix seconds), or is not the account's from now on; the rest is free.
    pub fn release(&mut self, held: u64, left: u64, now: u64) -> Result<()> {
        self.reserved = self.reserved.checked_sub(held).ok_or(PolicyError::Overflow)?;
        self.window.advance(now);
        self.window.book(left)
    }
}

#[cfg(test)]
mod tests;
