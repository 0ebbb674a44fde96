//! Policies: changes, and the numbers of each violation.
use anchor_lang::prelude::*;

/// A policy violation, logged before the error is returned, so that a simulation reports the numbers.
#[event]
pub struct PolicyViolated {
    /// Code of the rule, as in `PolicyError`.
    pub code: u32,
    /// Whose rule it is: 0 the account's, 1 its fleet's policy, 2 its fleet's limits.
    pub scope: u8,
    /// Micro-USDC that the rule compares with; `u64::MAX` if not applicable.
    pub limit: u64,
    /// Micro-USDC requested.
    pub attempted: u64,
    /// Micro-USDC that would still be allowed; `u64::MAX` if not applicable.
    pub remaining: u64,
    /// Micro-USDC reserved by open sessions and the open charge.
    pub reserved: u64,
    /// Unix seconds when the same amount fits; 0 if never or unknown.
    pub available_at: i64,
    /// Version of the policy that was violated.
    pub policy_version: u64,
}

/// A policy was changed.
#[event]
pub struct PolicyChanged {
    /// The account or fleet it applies to.
    pub owner: Pubkey,
    /// The new version.
    pub version: u64,
    /// Whether all spending is stopped.
    pub paused: bool,
}

/// The policy of a member ended.
#[event]
pub struct PolicyEnded {
    /// The account that has no policy of its own from now on.
    pub account: Pubkey,
}
