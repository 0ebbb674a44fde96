//! A stranger's program, for tests. It logs more than nodes keep, then calls the program that is its last account with its own
//! instruction data and all its accounts. Built by `cargo build-sbf` into `../relay.so`.
use anchor_lang::{
    prelude::*,
    solana_program::{
        entrypoint::ProgramResult,
        instruction::{AccountMeta, Instruction},
        log::sol_log,
        program::invoke,
    },
};

anchor_lang::solana_program::entrypoint!(relay);

/// Nodes keep 10,000 bytes of a transaction's logs.
const LOG_LINES: usize = 110;
const LINE: &str = "----------------------------------------------------------------------------------------------------";

fn relay(_program: &Pubkey, accounts: &[AccountInfo], data: &[u8]) -> ProgramResult {
    for _ in 0..LOG_LINES {
        sol_log(LINE);
    }
    let callee = accounts.last().ok_or(ProgramError::NotEnoughAccountKeys)?;
    let metas = accounts[..accounts.len() - 1]
        .iter()
        .map(|info| AccountMeta { pubkey: *info.key, is_signer: info.is_signer, is_writable: info.is_writable })
        .collect();
    invoke(&Instruction { program_id: *callee.key, accounts: metas, data: data.to_vec() }, accounts)
}
