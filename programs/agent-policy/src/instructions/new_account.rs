//! An account made by hand at an address of the program's own: Anchor's `init` searches the bump, which costs what chance decides.
use anchor_lang::{prelude::*, system_program};
use solana_sha256_hasher::hashv;

use crate::errors::PolicyError;

/// The last part of what an address of a program's is the SHA-256 of.
const ADDRESS_MARK: &[u8] = b"ProgramDerivedAddress";

/// The address that `seeds`, bump included, give under `program`, for a ninth of what `Pubkey::create_program_address` costs: that
/// it is off the curve is not looked at. Only where its program made, or makes, an account there is that proven: for an address on
/// the curve no program signs.
pub(super) fn derived_address(seeds: &[&[u8]], program: &Pubkey) -> Pubkey {
    let parts = [seeds, &[program.as_ref(), ADDRESS_MARK]].concat();
    Pubkey::new_from_array(hashv(&parts).to_bytes())
}

/// An account that is not there yet.
pub(super) struct NewAccount<'a, 'info> {
    /// Its address.
    pub at: &'a AccountInfo<'info>,
    /// Pays the rent.
    pub payer: &'a AccountInfo<'info>,
    /// The program that it belongs to.
    pub owner: &'a Pubkey,
    /// Bytes, all zero.
    pub space: usize,
}

impl NewAccount<'_, '_> {
    /// Makes it. Anybody may have sent lamports to the address, which `create_account` refuses; they count towards the rent.
    /// Error: `AddressTaken`.
    pub(super) fn create(&self, seeds: &[&[u8]]) -> Result<()> {
        let is_free = *self.at.owner == System::id() && self.at.data_is_empty();
        require!(is_free, PolicyError::AddressTaken);
        let (at, payer, system) = (|| self.at.clone(), || self.payer.clone(), System::id());
        let rent = Rent::get()?.minimum_balance(self.space);
        let signers = [seeds];
        if self.at.lamports() == 0 {
            let create = system_program::CreateAccount { from: payer(), to: at() };
            let context = CpiContext::new_with_signer(system, create, &signers);
            return system_program::create_account(context, rent, self.space as u64, self.owner);
        }
        let missing = rent.saturating_sub(self.at.lamports());
        if missing > 0 {
            let transfer = system_program::Transfer { from: payer(), to: at() };
            system_program::transfer(CpiContext::new(system, transfer), missing)?;
        }
        let allocate = system_program::Allocate { account_to_allocate: at() };
        system_program::allocate(CpiContext::new_with_signer(system, allocate, &signers), self.space as u64)?;
        let assign = system_program::Assign { account_to_assign: at() };
        system_program::assign(CpiContext::new_with_signer(system, assign, &signers), self.owner)
    }
}
