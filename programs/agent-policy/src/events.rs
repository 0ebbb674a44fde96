//! The program's events: one per fact, and the numbers of each policy violation.
use anchor_lang::prelude::*;

/// A transfer was made.
#[event]
pub struct Transferred {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the transfer.
    pub transfer_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC.
    pub amount: u64,
    /// The token account that was credited.
    pub destination: Pubkey,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Category, zero-padded; all zeros if none was given.
    pub category: [u8; 32],
    /// HMAC of the memo; all zeros if none was given.
    pub memo_hash: [u8; 32],
    /// Whether the operator signed as well.
    pub approved: bool,
}

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

/// An account's authority was replaced.
#[event]
pub struct AuthorityRotated {
    /// The account.
    pub account: Pubkey,
    /// The new authority.
    pub authority: Pubkey,
}

/// An account's operator was replaced.
#[event]
pub struct OperatorChanged {
    /// The account.
    pub account: Pubkey,
    /// The new operator.
    pub operator: Pubkey,
}

/// A session was opened: its cap moved into escrow.
#[event]
pub struct SessionOpened {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC that moved into escrow.
    pub cap: u64,
    /// Owner of the token account that is paid.
    pub payee: Pubkey,
    /// The token account that is paid.
    pub payee_token_account: Pubkey,
    /// The key that signs vouchers.
    pub voucher_key: Pubkey,
    /// SHA-256 of the provider's origin.
    pub provider_hash: [u8; 32],
    /// Category, zero-padded; all zeros if none was given.
    pub category: [u8; 32],
    /// Time of opening, unix seconds.
    pub opened_at: i64,
    /// Time of expiry, unix seconds.
    pub expires_at: i64,
    /// Grace period in seconds.
    pub grace_seconds: u32,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A session's cap was raised.
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
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC added.
    pub amount: u64,
    /// The new cap in micro-USDC.
    pub cap: u64,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A session was settled: the proven amount was paid if the payee could receive.
#[event]
pub struct SessionSettled {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC paid now; 0 if nothing was newly proven or the payee cannot receive.
    pub amount: u64,
    /// Micro-USDC paid so far.
    pub settled: u64,
    /// Micro-USDC of the highest voucher proven so far.
    pub proven: u64,
    /// The session's cap in micro-USDC.
    pub cap: u64,
    /// The session's `SessionStatus`.
    pub status: u8,
}

/// A session's grace period started: until `ends_at` higher vouchers can be settled.
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
    /// Micro-USDC of the highest voucher proven so far.
    pub proven: u64,
    /// End of the grace period in unix seconds, from which on anyone may close the session.
    pub ends_at: i64,
}

/// A session was closed: `settled + returned` is its cap.
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
    /// Micro-USDC that belong to the payee, `owed` included.
    pub settled: u64,
    /// Micro-USDC of the cap that belong to the account again.
    pub returned: u64,
    /// Micro-USDC of `settled` that the payee cannot receive yet; they stay in escrow.
    pub owed: u64,
    /// Micro-USDC of `returned` that moved to the account's token account now; 0 if they moved when the session became owed.
    pub refunded: u64,
    /// Micro-USDC that others had sent to the escrow; they moved to the account's token account too.
    pub dust: u64,
}

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

/// A channel purse was funded; the amount is reserved.
#[event]
pub struct ChannelFunded {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC moved to the key.
    pub amount: u64,
    /// The purse's one-time key.
    pub key: Pubkey,
    /// The key's token account, which was credited.
    pub key_token_account: Pubkey,
    /// Category, zero-padded; all zeros if none was given.
    pub category: [u8; 32],
    /// Unix seconds from which on anyone may sweep and finish it.
    pub deadline: i64,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// Money of a channel purse moved home.
#[event]
pub struct ChannelSwept {
    /// The `AgentAccount`, whose token account was credited.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// Micro-USDC moved now.
    pub amount: u64,
    /// Micro-USDC moved home since it was funded.
    pub swept: u64,
}

/// A channel purse was finished: nothing is reserved for it any more.
#[event]
pub struct ChannelFinished {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// The nonce that the funding used up.
    pub seq: u64,
    /// Micro-USDC funded.
    pub amount: u64,
    /// Micro-USDC that did not come home; they count as spent.
    pub spent: u64,
}

/// A channel purse was closed.
#[event]
pub struct ChannelClosed {
    /// The `AgentAccount`.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// Micro-USDC moved home since it was funded.
    pub swept: u64,
}

/// The operator wrote off what a session owed to a payee that could not receive it for 90 days.
#[event]
pub struct SessionWrittenOff {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC that were owed and moved to the account's token account.
    pub amount: u64,
}

/// An account was closed permanently.
#[event]
pub struct AccountClosed {
    /// The account.
    pub account: Pubkey,
    /// Micro-USDC that were left and moved to `destination`.
    pub swept: u64,
    /// The token account that was credited; the default key if nothing was left.
    pub destination: Pubkey,
}

/// Money that arrived at a closed account was transferred.
#[event]
pub struct AccountSwept {
    /// The closed account.
    pub account: Pubkey,
    /// Micro-USDC.
    pub amount: u64,
    /// The token account that was credited.
    pub destination: Pubkey,
}

/// The policy of a member ended.
#[event]
pub struct PolicyEnded {
    /// The account that has no policy of its own from now on.
    pub account: Pubkey,
}

/// A fleet was created.
#[event]
pub struct FleetCreated {
    /// The fleet.
    pub fleet: Pubkey,
    /// Its operator.
    pub operator: Pubkey,
}

/// The limits of a fleet were changed.
#[event]
pub struct FleetLimitsChanged {
    /// The fleet.
    pub fleet: Pubkey,
    /// The new version.
    pub version: u64,
}

/// An account joined a fleet.
#[event]
pub struct FleetJoined {
    /// The fleet.
    pub fleet: Pubkey,
    /// The account.
    pub account: Pubkey,
}

/// An account left its fleet.
#[event]
pub struct FleetLeft {
    /// The fleet.
    pub fleet: Pubkey,
    /// The account.
    pub account: Pubkey,
}

/// The operator of a fleet and of all its members was replaced.
#[event]
pub struct FleetOperatorChanged {
    /// The fleet.
    pub fleet: Pubkey,
    /// The new operator.
    pub operator: Pubkey,
}

/// A fleet was closed permanently.
#[event]
pub struct FleetClosed {
    /// The fleet.
    pub fleet: Pubkey,
}

/// Lamports above today's minimum went back to the creator.
#[event]
pub struct SurplusRentReturned {
    /// The account or the fleet.
    pub owner: Pubkey,
    /// Lamports, those of its policy among them.
    pub lamports: u64,
}
