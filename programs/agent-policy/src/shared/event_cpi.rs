//! Events of permissionless instructions, emitted by CPI. Nodes cut a transaction's logs after 10 KB, so the caller of such an
//! instruction could hide a logged event. Inner instructions are never cut.
use anchor_lang::{
    event::EVENT_IX_TAG_LE,
    prelude::*,
    solana_program::{
        instruction::{AccountMeta, Instruction},
        program::invoke_signed,
    },
    Event,
};

/// Seed of the event authority, as Anchor defines it. Only this PDA may sign an event of this program.
const EVENT_AUTHORITY_SEED: &[u8] = b"__event_authority";

/// Emits `event` as Anchor's `emit_cpi!` does, without needing `ctx`. The instruction must list `event_authority` and this program
/// among its accounts.
pub fn emit_by_cpi(event_authority: &AccountInfo, event: &impl Event) -> Result<()> {
    let data = [EVENT_IX_TAG_LE, &event.data()].concat();
    let signer = AccountMeta::new_readonly(*event_authority.key, true);
    let instruction = Instruction { program_id: crate::ID, accounts: vec![signer], data };
    let seeds: &[&[u8]] = &[EVENT_AUTHORITY_SEED, &[crate::EVENT_AUTHORITY_AND_BUMP.1]];
    invoke_signed(&instruction, std::slice::from_ref(event_authority), &[seeds])?;
    Ok(())
}
