//! A draft stages lists that are too long for one transaction; `set_policy` then takes them in one step.
use anchor_lang::prelude::*;

use crate::constants::ENTRY_BYTES;

/// PDA `["draft", owner, target_version, content_hash]`, so that concurrent changes never share a draft. The counterparties and
/// then the categories follow the header, 32 bytes each. A draft of more than 10,240 bytes grows as it is written.
#[account]
#[derive(InitSpace)]
pub struct PolicyDraft {
    /// The `AgentAccount` or `Fleet` whose policy it is for.
    pub owner: Pubkey,
    /// The key that paid the rent and gets it back.
    pub rent_payer: Pubkey,
    /// Version of the policy that will hold these lists.
    pub target_version: u64,
    /// SHA-256 of the number of counterparties (u16 LE) and all entries in order.
    pub content_hash: [u8; 32],
    /// Time of creation, unix seconds.
    pub created_at: i64,
    /// Number of counterparties.
    pub counterparty_count: u16,
    /// Number of categories.
    pub category_count: u16,
    /// Bump of its address.
    pub bump: u8,
}

impl PolicyDraft {
    /// Bytes before the entries, discriminator included.
    pub const HEADER: usize = 8 + Self::INIT_SPACE;

    /// Bytes on chain when it is complete.
    pub fn space(&self) -> usize {
        Self::space_of(self.counterparty_count, self.category_count)
    }

    /// Bytes on chain of a complete draft with so many entries.
    pub fn space_of(counterparties: u16, categories: u16) -> usize {
        Self::HEADER + (usize::from(counterparties) + usize::from(categories)) * ENTRY_BYTES
    }
}
