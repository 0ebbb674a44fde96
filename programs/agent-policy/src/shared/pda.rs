//! Program-derived addresses: deriving one from a known bump, creating an account there, and signing for it. Anchor's `init`
//! searches the bump on chain, whose cost (1,500 compute units a step) depends on chance.
use anchor_lang::{prelude::*, system_program};
use solana_sha256_hasher::hashv;

use crate::{
    errors::PolicyError,
    state::{AgentAccount, ChannelPurse, Session},
};

/// Last input of the SHA-256 that yields a program-derived address.
const PDA_MARKER: &[u8] = b"ProgramDerivedAddress";

/// Returns the address that `seeds`, bump included, yield under `program`, without the runtime's check that it is off the curve.
///
/// Measured: with `Pubkey::create_program_address`, `open_session` at its dearest needs 32,391 units instead of 28,403 (ceiling 30,000).
///
/// Why skipping the check is safe: the result is only compared with an account for which the check follows in another way.
/// - Session, escrow and channel purse: the runtime derives the same address with the check when this program signs `create_account` (or
///   `allocate` and `assign`) with the same seeds. For an address on the curve that CPI fails (`InvalidSeeds`), and so does the
///   transaction.
/// - The associated token account of a payee or a purse's key must already exist as a token account that this key owns. Only the associated token
///   program can sign for such an address, and the runtime let it do so only off the curve. An address on the curve would need a
///   private key whose public key equals a given SHA-256 hash.
pub fn derived_address(seeds: &[&[u8]], program: &Pubkey) -> Pubkey {
    let parts = [seeds, &[program.as_ref(), PDA_MARKER]].concat();
    Pubkey::new_from_array(hashv(&parts).to_bytes())
}

/// An account to be created at a program-derived address.
pub struct NewAccount<'a, 'info> {
    /// The address.
    pub at: &'a AccountInfo<'info>,
    /// Pays the rent.
    pub payer: &'a AccountInfo<'info>,
    /// The program that will own the account.
    pub owner: &'a Pubkey,
    /// Size in bytes; all zero after creation.
    pub space: usize,
}

impl NewAccount<'_, '_> {
    /// Creates the account; `seeds` sign for its address. Lamports that others sent to the address, which make the system program's
    /// `create_account` fail, count towards the rent. Error: `AddressTaken`.
    pub fn create(&self, seeds: &[&[u8]]) -> Result<()> {
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

/// Runs `call` with the account's signer seeds. The account is not borrowed during the call.
pub fn signed_by_account<T>(
    account: &AccountLoader<AgentAccount>,
    call: impl FnOnce(&[&[u8]]) -> Result<T>,
) -> Result<T> {
    let (creator, id, bump) = {
        let account = account.load()?;
        (account.creator, account.id, [account.bump])
    };
    call(&AgentAccount::seeds(&creator, &id, &bump))
}

/// Runs `call` with the channel purse's signer seeds. The purse is not borrowed during the call.
pub fn signed_by_channel_purse<T>(
    purse: &AccountLoader<ChannelPurse>,
    call: impl FnOnce(&[&[u8]]) -> Result<T>,
) -> Result<T> {
    let (account, seq, bump) = {
        let purse = purse.load()?;
        (purse.account, purse.seq.to_le_bytes(), [purse.bump])
    };
    call(&ChannelPurse::seeds(&account, &seq, &bump))
}

/// Runs `call` with the session's signer seeds. The session is not borrowed during the call.
pub fn signed_by_session<T>(session: &AccountLoader<Session>, call: impl FnOnce(&[&[u8]]) -> Result<T>) -> Result<T> {
    let (account, seq, bump) = {
        let session = session.load()?;
        (session.account, session.seq.to_le_bytes(), [session.bump])
    };
    call(&Session::seeds(&account, &seq, &bump))
}
