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
pub struct PolicyViolated {
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

/// A cap moved into escrow.
#[event]
pub struct SessionOpened {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// The sequence number that it spent.
    pub seq: u64,
    /// Micro-USDC now in escrow.
    pub cap: u64,
    /// Owner of the token account that is paid.
    pub payee: Pubkey,
    /// The token account that is paid.
    pub payee_token_account: Pubkey,
    /// The key that signs vouchers.
    pub voucher_key: Pubkey,
    /// SHA-256 of the provider's origin.
    pub provider_hash: [u8; 32],
    /// Category, zero-padded; all zeros where none was given.
    pub category: [u8; 32],
    /// Unix seconds.
    pub opened_at: i64,
    /// Unix seconds.
    pub expires_at: i64,
    /// Seconds that the payee has after a closing began.
    pub grace_seconds: u32,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// More moved into a session's escrow.
#[event]
pub struct SessionToppedUp {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// The service's id of the top-up.
    pub top_up_id: [u8; 16],
    /// The sequence number that it spent.
    pub seq: u64,
    /// Micro-USDC added.
    pub amount: u64,
    /// Micro-USDC; the cap from now on.
    pub cap: u64,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A voucher was shown, and paid where the payee could receive.
#[event]
pub struct SessionSettled {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC paid now; 0 where nothing new was shown or the payee cannot receive.
    pub amount: u64,
    /// Micro-USDC paid so far.
    pub settled: u64,
    /// Micro-USDC of the highest voucher shown so far.
    pub proven: u64,
    /// Micro-USDC.
    pub cap: u64,
    /// Where the session stands, a `SessionStatus`.
    pub status: u8,
}

/// A closing began: until `ends_at` higher vouchers may be settled.
#[event]
pub struct SessionClosing {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC paid to the payee now.
    pub amount: u64,
    /// Micro-USDC paid so far.
    pub settled: u64,
    /// Micro-USDC of the highest voucher shown so far.
    pub proven: u64,
    /// Unix seconds from which on anybody may end the session.
    pub ends_at: i64,
}

/// A session ended: `settled + returned` is its cap.
#[event]
pub struct SessionClosed {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC paid to the payee now.
    pub amount: u64,
    /// Micro-USDC that are the payee's, `owed` included.
    pub settled: u64,
    /// Micro-USDC of the cap that are the account's again.
    pub returned: u64,
    /// Micro-USDC of `settled` that the payee cannot receive yet; they stay in escrow for it.
    pub owed: u64,
    /// Micro-USDC of `returned` that moved to the account's token account now; 0 where they did when it became owed.
    pub refunded: u64,
    /// Micro-USDC that strangers had sent to the escrow; they moved to the account's token account as well.
    pub dust: u64,
}

/// A key may move exactly this much out of the account.
#[event]
pub struct ChargeApproved {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the charge.
    pub charge_id: [u8; 16],
    /// The sequence number that it spent.
    pub seq: u64,
    /// Micro-USDC.
    pub amount: u64,
    /// The key of this one charge.
    pub delegate: Pubkey,
    /// Category, zero-padded; all zeros where none was given.
    pub category: [u8; 32],
    /// Unix seconds from which on anybody may finish it.
    pub deadline: i64,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A charge is over: its key moves nothing any more.
#[event]
pub struct ChargeFinished {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the charge.
    pub charge_id: [u8; 16],
    /// The sequence number that approved it.
    pub seq: u64,
    /// Micro-USDC approved.
    pub amount: u64,
    /// Micro-USDC that are missing of the allowance, and count as spent.
    pub spent: u64,
    /// Whether exactly `spent` left. False where the key has no allowance any more: it used it up, or gave it back (the token
    /// program lets a delegate revoke itself). Then at most `spent` left.
    pub exact: bool,
}

/// The operator took back what a session owed to a payee that could not receive it for 90 days.
#[event]
pub struct SessionWrittenOff {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC that were owed, and moved to the account's token account.
    pub amount: u64,
}

/// An account is closed for good.
#[event]
pub struct AccountClosed {
    /// The account.
    pub account: Pubkey,
    /// Micro-USDC that were left, and moved to `destination`.
    pub swept: u64,
    /// The token account that received them; the default key where nothing was left.
    pub destination: Pubkey,
}

/// Money that arrived at a closed account moved on.
#[event]
pub struct AccountSwept {
    /// The closed account.
    pub account: Pubkey,
    /// Micro-USDC.
    pub amount: u64,
    /// The token account that received them.
    pub destination: Pubkey,
}
