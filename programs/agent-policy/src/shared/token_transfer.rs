//! Transfers between token accounts.
use anchor_lang::{
    prelude::*,
    solana_program::{
        instruction::{AccountMeta, Instruction},
        program::invoke_signed_unchecked,
    },
};
use anchor_spl::token;

/// Tag of `TransferChecked` in `spl_token::instruction::TokenInstruction`.
const TRANSFER_CHECKED: u8 = 12;

/// One transfer between two token accounts.
pub struct TokenTransfer<'a, 'info> {
    /// The debited token account.
    pub from: &'a AccountInfo<'info>,
    /// The mint of both.
    pub mint: &'a AccountInfo<'info>,
    /// The credited token account.
    pub to: &'a AccountInfo<'info>,
    /// Owner of `from`, a program-derived address.
    pub owner: &'a AccountInfo<'info>,
    /// Micro-USDC.
    pub amount: u64,
    /// Decimals of the mint.
    pub decimals: u8,
}

impl TokenTransfer<'_, '_> {
    /// Calls the token program; `seeds` sign for the owner.
    pub fn execute(&self, seeds: &[&[u8]]) -> Result<()> {
        let mut data = Vec::with_capacity(10);
        data.push(TRANSFER_CHECKED);
        data.extend_from_slice(&self.amount.to_le_bytes());
        data.push(self.decimals);
        let instruction = Instruction {
            program_id: token::ID,
            accounts: vec![
                AccountMeta::new(*self.from.key, false),
                AccountMeta::new_readonly(*self.mint.key, false),
                AccountMeta::new(*self.to.key, false),
                AccountMeta::new_readonly(*self.owner.key, true),
            ],
            data,
        };
        let infos = [self.from.clone(), self.mint.clone(), self.to.clone(), self.owner.clone()];
        // No account is borrowed here: `seeds` are copies. Looking for borrows, as `invoke_signed` does, costs 300 units.
        invoke_signed_unchecked(&instruction, &infos, &[seeds])?;
        Ok(())
    }
}
