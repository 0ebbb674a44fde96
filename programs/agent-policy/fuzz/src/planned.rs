//! An instruction that is about to be sent, and what is expected of it.
use anchor_lang::{prelude::*, solana_program::instruction::Instruction, InstructionData, ToAccountMetas};

/// A session or a channel purse: the account of the program, and the token account that holds its money.
#[derive(Clone)]
pub struct Allowance {
    pub agent: usize,
    pub address: Pubkey,
    pub holder: Pubkey,
    /// The one-time key of a channel purse; the session itself.
    pub owner: Pubkey,
}

/// An instruction, and what is expected of it.
pub struct Planned {
    pub instruction: Instruction,
    /// Whether it must succeed: an allowance is ended by a key that may end it.
    pub must_succeed: bool,
    pub nonce: Option<(Pubkey, u64)>,
    pub opens: Option<Allowance>,
    /// Micro-USDC of a transfer.
    pub single: Option<u64>,
}

impl Planned {
    pub fn new(accounts: impl ToAccountMetas, data: impl InstructionData) -> Self {
        let accounts = accounts.to_account_metas(None);
        Self::of(Instruction { program_id: agent_policy::ID, accounts, data: data.data() })
    }

    pub fn of(instruction: Instruction) -> Self {
        Self { instruction, must_succeed: false, nonce: None, opens: None, single: None }
    }

    /// Whether `key` signs.
    pub fn is_signed_by(&self, key: &Pubkey) -> bool {
        self.instruction.accounts.iter().any(|meta| meta.is_signer && meta.pubkey == *key)
    }
}
