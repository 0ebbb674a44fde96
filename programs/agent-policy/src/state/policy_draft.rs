//! Lists too long for one transaction, gathered before a policy takes them in one step.
use anchor_lang::prelude::*;

/// PDA `["draft", account, target_version, content_hash]`, so that two changes at once never write into each other's draft.
/// Behind the header lie the counterparties and then the categories, 32 bytes each.
#[account]
#[derive(InitSpace)]
pub struct PolicyDraft {
    /// The account whose policy it is for.
    pub account: Pubkey,
    /// Who paid the rent and gets it back.
    pub rent_payer: Pubkey,
    /// The version that the policy will have with it.
    pub target_version: u64,
    /// SHA-256 of all entries, in order.
    pub content_hash: [u8; 32],
    /// Unix seconds.
    pub created_at: i64,
    /// Entries of the first list.
    pub counterparty_count: u16,
    /// Entries of the second list.
    pub category_count: u16,
    /// Bump of its own address.
    pub bump: u8,
}

impl PolicyDraft {
    /// Bytes before the entries, discriminator included.
    pub const HEADER: usize = 8 + Self::INIT_SPACE;
}
