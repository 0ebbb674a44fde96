//! An agent's account: its keys, what left and what is reserved, and its used nonces.
use anchor_lang::prelude::*;

use super::{ReplayWindow, Tally};
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

/// PDA `["account", creator, id]`; owns the USDC token account.
#[account(zero_copy)]
pub struct AgentAccount {
    /// Layout version, `LAYOUT_VERSION`.
    pub version: u8,
    /// Bump of its address.
    pub bump: u8,
    /// 1 if `controller` is a fleet.
    pub is_member: u8,
    /// 1 if the account has a policy of its own. Only a member may have none.
    pub has_policy: u8,
    /// Number of channel purses that are not closed; sweeping them needs this account.
    pub channel_purses: u32,
    /// Id that the creator chose; part of the address.
    pub id: [u8; 16],
    /// The key that created the account, paid its rent and gets the rent back. Never changes.
    pub creator: Pubkey,
    /// The operator, or the fleet, whose operator is the account's. Only `operator` of `shared/controller.rs` reads it as a key.
    pub controller: Pubkey,
    /// The key that spends inside the policy.
    pub authority: Pubkey,
    /// The associated token account of this address, whose mint is that of the account's money.
    pub token_account: Pubkey,
    /// Number of open sessions, at most `MAX_OPEN_SESSIONS`.
    pub open_sessions: u32,
    /// Number of sessions that closed while their payee could not receive; settling them needs this account.
    pub owed_sessions: u32,
    /// What left, and what open sessions and the open charge may still pay out.
    pub tally: Tally,
    /// Used nonces.
    pub replay: ReplayWindow,
    /// The open charge, or the last one.
    pub charge: Charge,
}

impl AgentAccount {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of the address; `bump` is the stored one.
    pub fn seeds<'a>(creator: &'a Pubkey, id: &'a [u8; 16], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [ACCOUNT_SEED, creator.as_ref(), id, bump]
    }

    /// Whether `key` already has a role in this account, whose operator is `operator`, and must not get another.
    pub fn has_key(&self, key: &Pubkey, operator: &Pubkey) -> bool {
        [self.creator, self.controller, self.authority, self.token_account, *operator].contains(key)
    }

    /// Checks that the three keys differ. A fleet's hand-over changes the operator of all its members at once, so each use checks it.
    /// Error: `KeysNotDistinct`.
    pub fn check_keys(&self, operator: &Pubkey) -> Result<()> {
        let are_distinct = *operator != self.authority && *operator != self.creator && self.authority != self.creator;
        require!(are_distinct, PolicyError::KeysNotDistinct);
        Ok(())
    }

    /// Whether a charge is open, whose delegate may move money.
    pub fn has_open_charge(&self) -> bool {
        self.charge.amount > 0
    }

    /// Whether `key` is the delegate of an open charge. After `stop_charge` one is open only while the token account is frozen.
    pub fn is_open_delegate(&self, key: &Pubkey) -> bool {
        self.has_open_charge() && self.charge.delegate == *key
    }

    /// Checks what must hold after an instruction that only added to the tally: the layout version, keys that differ, the bounds of
    /// the counters, an open charge that is reserved and has a key of its own, and sums that fit. Error: `InvariantViolated`.
    pub fn touched_invariant(&self) -> Result<()> {
        let is_charge_valid = !self.has_open_charge()
            || (self.charge.amount <= self.tally.reserved && !self.has_key(&self.charge.delegate, &self.controller));
        let holds = self.version == LAYOUT_VERSION
            && self.check_keys(&self.controller).is_ok()
            && (self.is_member != 0 || self.has_policy != 0)
            && self.open_sessions <= MAX_OPEN_SESSIONS
            && is_charge_valid
            && self.tally.is_plausible()
            && self.replay.is_consistent();
        require!(holds, PolicyError::InvariantViolated);
        Ok(())
    }

    /// Checks what must hold after every instruction: also that each sum is that of its buckets. Error: `InvariantViolated`.
    pub fn invariant(&self) -> Result<()> {
        self.touched_invariant()?;
        require!(self.tally.is_consistent(), PolicyError::InvariantViolated);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
