//! An agent's account: its keys, its spend window, its reserved amount and its used nonces.
use anchor_lang::prelude::*;

use super::{ReplayWindow, SpendWindow};
use crate::{
    constants::{ACCOUNT_SEED, LAYOUT_VERSION, MAX_OPEN_SESSIONS},
    errors::PolicyError,
};

/// The account's charge: an SPL delegate that may move `amount` out of the token account. At most one is open.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct Charge {
    /// The service's id of the charge.
    pub id: [u8; 16],
    /// The SPL delegate. Kept after the charge is finished, so that the next charge must use another key.
    pub delegate: Pubkey,
    /// Micro-USDC approved; 0 if no charge is open.
    pub amount: u64,
    /// The nonce that the approval used up.
    pub seq: u64,
    /// Unix seconds from which on anyone may finish it.
    pub deadline: i64,
}

/// PDA `["account", creator, id]`; owns the USDC token account. New fields are taken from `unused` only.
#[account(zero_copy)]
pub struct AgentAccount {
    /// Layout version, `LAYOUT_VERSION`.
    pub version: u8,
    /// Bump of its address.
    pub bump: u8,
    /// Decimals of the mint.
    pub mint_decimals: u8,
    /// Alignment.
    pub padding: [u8; 5],
    /// Id that the creator chose; part of the address.
    pub id: [u8; 16],
    /// The key that created the account, paid its rent and gets the rent back. Never changes.
    pub creator: Pubkey,
    /// The key that sets the policy and co-signs at or above the escalation threshold.
    pub operator: Pubkey,
    /// The key that spends inside the policy.
    pub authority: Pubkey,
    /// The mint of the account's money.
    pub mint: Pubkey,
    /// The associated token account of this address.
    pub token_account: Pubkey,
    /// Micro-USDC that open sessions and the open charge may still pay out; counts against `max_daily_spend`.
    pub reserved: u64,
    /// Number of open sessions, at most `MAX_OPEN_SESSIONS`.
    pub open_sessions: u32,
    /// Number of sessions that closed while their payee could not receive; settling them needs this account.
    pub owed_sessions: u32,
    /// Micro-USDC that left in the last 24 hours.
    pub window: SpendWindow,
    /// Used nonces.
    pub replay: ReplayWindow,
    /// The open charge, or the last one.
    pub charge: Charge,
    /// Room for later fields; zero until then.
    pub unused: [u8; 184],
}

impl AgentAccount {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of the address; `bump` is the stored one.
    pub fn seeds<'a>(creator: &'a Pubkey, id: &'a [u8; 16], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [ACCOUNT_SEED, creator.as_ref(), id, bump]
    }

    /// Whether `key` already has a role in this account and must not get another.
    pub fn has_key(&self, key: &Pubkey) -> bool {
        [self.creator, self.operator, self.authority, self.token_account].contains(key)
    }

    /// Whether a charge is open, whose delegate may move money.
    pub fn has_open_charge(&self) -> bool {
        self.charge.amount > 0
    }

    /// Whether `key` is the delegate of an open charge. After `stop_charge` one is open only while the token account is frozen.
    pub fn is_open_delegate(&self, key: &Pubkey) -> bool {
        self.has_open_charge() && self.charge.delegate == *key
    }

    /// Reserves `amount` (micro-USDC), which may leave at any time from now on. Error: `Overflow`.
    pub fn reserve(&mut self, amount: u64) -> Result<()> {
        self.reserved = self.reserved.checked_add(amount).ok_or(PolicyError::Overflow)?;
        Ok(())
    }

    /// Releases `held` reserved micro-USDC, of which `spent` are counted as spent at `now` (unix seconds). Error: `Overflow`.
    pub fn release(&mut self, held: u64, spent: u64, now: u64) -> Result<()> {
        self.reserved = self.reserved.checked_sub(held).ok_or(PolicyError::Overflow)?;
        self.window.advance(now);
        self.window.record(spent)
    }

    /// Checks what must hold after every instruction: the layout version, three different keys, the bounds of the counters, an open
    /// charge that is reserved and has a key of its own, a spent and a reserved amount whose sum fits, and consistent windows. Error:
    /// `InvariantViolated`.
    pub fn invariant(&self) -> Result<()> {
        let are_keys_distinct =
            self.operator != self.authority && self.operator != self.creator && self.authority != self.creator;
        let is_charge_valid =
            !self.has_open_charge() || (self.charge.amount <= self.reserved && !self.has_key(&self.charge.delegate));
        let holds = self.version == LAYOUT_VERSION
            && are_keys_distinct
            && self.open_sessions <= MAX_OPEN_SESSIONS
            && is_charge_valid
            && self.window.spent.checked_add(self.reserved).is_some()
            && self.window.is_consistent()
            && self.replay.is_consistent();
        require!(holds, PolicyError::InvariantViolated);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
