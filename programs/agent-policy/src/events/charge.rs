//! Charges: approval and end.
use anchor_lang::prelude::*;

/// A charge was approved: its delegate may move exactly the amount.
#[event]
pub struct ChargeApproved {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the charge.
    pub charge_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC.
    pub amount: u64,
    /// The charge's one-time key.
    pub delegate: Pubkey,
    /// Category, zero-padded; all zeros if none was given.
    pub category: [u8; 32],
    /// Unix seconds from which on anyone may finish it.
    pub deadline: i64,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A charge was finished: its delegate can move nothing more.
#[event]
pub struct ChargeFinished {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the charge.
    pub charge_id: [u8; 16],
    /// The nonce that the approval used up.
    pub seq: u64,
    /// Micro-USDC approved.
    pub amount: u64,
    /// Micro-USDC missing from the allowance; they count as spent.
    pub spent: u64,
    /// Whether exactly `spent` left. False if the delegate has no allowance left: it used it up or revoked itself, which the token
    /// program allows. Then at most `spent` left.
    pub exact: bool,
}
