//! What the program tells: one event per fact, and the numbers behind each refusal.
use anchor_lang::prelude::*;

/// Money left an account by `transfer`.
#[event]
pub struct Transferred {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the transfer.
    pub transfer_id: [u8; 16],
    /// The sequence number that it spent.
    pub seq: u64,
    /// Micro-USDC.
    pub amount: u64,
    /// The token account that received.
    pub destination: Pubkey,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Category, zero-padded; all zeros where none was given.
    pub category: [u8; 32],
    /// HMAC of the memo; all zeros where none was given.
    pub memo_hash: [u8; 32],
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A rule said no: logged before the error is returned, so that a simulation shows the numbers.
#[event]
pub struct Refused {
    /// Code of the rule, as in `PolicyError`.
    pub code: u32,
    /// Micro-USDC; what the rule compares with, `u64::MAX` where there is no such number.
    pub limit: u64,
    /// Micro-USDC asked for.
    pub attempted: u64,
    /// Micro-USDC that would still be allowed, `u64::MAX` where there is no such number.
    pub remaining: u64,
    /// Micro-USDC held by open sessions and charges.
    pub reserved: u64,
    /// Unix seconds when the same amount fits, 0 when never or not known.
    pub available_at: i64,
    /// Version of the policy that refused.
    pub policy_version: u64,
}

/// A policy has a new version.
#[event]
pub struct PolicyChanged {
    /// The account it binds.
    pub account: Pubkey,
    /// The version from now on.
    pub version: u64,
    /// Whether spending is stopped.
    pub paused: bool,
}

/// An account has another authority.
#[event]
pub struct AuthorityRotated {
    /// The account.
    pub account: Pubkey,
    /// The key that spends from now on.
    pub authority: Pubkey,
}

/// An account has another operator.
#[event]
pub struct OperatorChanged {
    /// The account.
    pub account: Pubkey,
    /// The key that sets policy from now on.
    pub operator: Pubkey,
}
