//! A fleet: accounts of one operator under one policy, one set of limits and one pause.
use anchor_lang::prelude::*;

use super::{SpendLimits, Tally};
use crate::{
    constants::{CLOSED_FLEET_DISCRIMINATOR, FLEET_SEED, LAYOUT_VERSION},
    errors::PolicyError,
};

/// PDA `["fleet", creator, id]`. Each spending of a member writes it.
#[account(zero_copy)]
pub struct Fleet {
    /// Layout version, `LAYOUT_VERSION`.
    pub version: u8,
    /// Bump of its address.
    pub bump: u8,
    /// Alignment.
    pub padding: [u8; 2],
    /// Number of member accounts.
    pub members: u32,
    /// Id that the creator chose; part of the address.
    pub id: [u8; 16],
    /// The key that paid the rent and gets it back; part of the address. Never changes.
    pub creator: Pubkey,
    /// The operator of the fleet and of all its members.
    pub operator: Pubkey,
    /// The key that may pause the fleet and add accounts of the same operator; the default key for none.
    pub guardian: Pubkey,
    /// Number of the version of the limits; 1 at creation, one more with every change.
    pub limits_version: u64,
    /// Time of the last change of the limits, unix seconds.
    pub updated_at: i64,
    /// Maximum of all members together in any 24 hours, micro-USDC; `u64::MAX` for no limit.
    pub max_daily_spend: u64,
    /// Maximum of all members together in any 30 days, micro-USDC; `u64::MAX` for no limit.
    pub max_monthly_spend: u64,
    /// Maximum of all members together since the fleet was created, micro-USDC; `u64::MAX` for no limit.
    pub max_lifetime_spend: u64,
    /// What left of the members as members, and what they reserve.
    pub tally: Tally,
}

impl Fleet {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of the address; `bump` is the stored one.
    pub fn seeds<'a>(creator: &'a Pubkey, id: &'a [u8; 16], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [FLEET_SEED, creator.as_ref(), id, bump]
    }

    /// Whether `key` may pause the fleet and add accounts.
    pub fn is_guardian(&self, key: &Pubkey) -> bool {
        self.guardian != Pubkey::default() && self.guardian == *key
    }

    /// The sums that all members together must not exceed.
    pub fn limits(&self) -> SpendLimits {
        SpendLimits {
            max_daily_spend: self.max_daily_spend,
            max_monthly_spend: self.max_monthly_spend,
            max_lifetime_spend: self.max_lifetime_spend,
        }
    }

    /// Checks what must hold after an instruction that only added to the tally. Error: `InvariantViolated`.
    pub fn touched_invariant(&self) -> Result<()> {
        require!(self.version == LAYOUT_VERSION && self.tally.is_plausible(), PolicyError::InvariantViolated);
        Ok(())
    }

    /// Checks what must hold after every instruction: also that each sum is that of its buckets. Error: `InvariantViolated`.
    pub fn invariant(&self) -> Result<()> {
        let are_keys_distinct = self.guardian != self.operator && self.creator != self.operator;
        let holds = self.version == LAYOUT_VERSION && are_keys_distinct && self.tally.is_consistent();
        require!(holds, PolicyError::InvariantViolated);
        Ok(())
    }
}

/// Tombstone of a closed fleet, so that no fleet is created at its address again. Its former members' tombstones name it.
#[account(discriminator = CLOSED_FLEET_DISCRIMINATOR)]
#[derive(InitSpace)]
pub struct ClosedFleet {
    /// The operator at the time of closing.
    pub operator: Pubkey,
}

impl ClosedFleet {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + Self::INIT_SPACE;
}
