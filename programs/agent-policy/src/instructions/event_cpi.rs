//! Events of what a stranger may cause. Logs of a transaction are cut after 10 KB, so a caller could hide an event there. An
//! instruction to ourselves stands among the inner instructions, which are never cut.
use anchor_lang::{
    event::EVENT_IX_TAG_LE,
    prelude::*,
    solana_program::{
        instruction::{AccountMeta, Instruction},
        program::invoke_signed,
    },
    Event,
};

/// Seed of the only address that may sign for an event of this program; Anchor's own.
const EVENT_AUTHORITY_SEED: &[u8] = b"__event_authority";

/// What Anchor's `emit_cpi!` does, where no `ctx` is in scope. `event_authority` and the program are accounts of the instruction.
pub(super) fn emit_by_cpi(event_authority: &AccountInfo, event: &impl Event) -> Result<()> {
    let data = [EVENT_IX_TAG_LE, &event.data()].concat();
    let signer = AccountMeta::new_readonly(*event_authority.key, true);
    let instruction = Instruction { program_id: crate::ID, accounts: vec![signer], data };
    let seeds: &[&[u8]] = &[EVENT_AUTHORITY_SEED, &[crate::EVENT_AUTHORITY_AND_BUMP.1]];
    invoke_signed(&instruction, &[event_authority.clone()], &[seeds])?;
    Ok(())
}
