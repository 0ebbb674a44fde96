//! One file per instruction: arguments, accounts, handler. What several of them do is here.
pub mod approve_charge;
pub mod check_payment;
pub mod close_account;
pub mod close_expired_session;
pub mod close_policy_draft;
pub mod close_session;
pub mod create_account;
pub mod create_policy_draft;
mod event_cpi;
pub mod finish_charge;
mod new_account;
pub mod open_session;
mod rent;
pub mod rotate_authority;
pub mod set_operator;
pub mod set_policy;
pub mod settle_session;
pub mod spending;
pub mod sweep_closed_account;
pub mod top_up_session;
pub mod transfer;
pub mod write_off_session;
pub mod write_policy_draft;

pub use approve_charge::*;
pub use check_payment::*;
pub use close_account::*;
pub use close_expired_session::*;
pub use close_policy_draft::*;
pub use close_session::*;
pub use create_account::*;
pub use create_policy_draft::*;
pub use finish_charge::*;
pub use open_session::*;
pub use rotate_authority::*;
pub use set_operator::*;
pub use set_policy::*;
pub use settle_session::*;
pub use spending::*;
pub use sweep_closed_account::*;
pub use top_up_session::*;
pub use transfer::*;
pub use write_off_session::*;
pub use write_policy_draft::*;

use event_cpi::emit_by_cpi;
use finish_charge::stop_charge;
use rent::{close_token_account, rent_recipient};

use anchor_lang::{
    prelude::*,
    solana_program::{
        instruction::{AccountMeta, Instruction},
        program::invoke_signed,
    },
};
use anchor_spl::token;

use crate::{
    errors::PolicyError,
    state::{judge, AgentAccount, Order, Policy, PolicyLists, Session},
};

/// Unix seconds by the chain's clock.
fn unix_now(clock: &Clock) -> Result<u64> {
    u64::try_from(clock.unix_timestamp).map_err(|_| error!(PolicyError::ClockInvalid))
}

/// Asks the rules at the present time, or tells the numbers of the one that refuses. Returns the policy's version.
fn ask<'info>(account: &mut AgentAccount, policy: &AccountLoader<'info, Policy>, order: &Order) -> Result<u64> {
    let info: &AccountInfo = policy.as_ref();
    let policy = policy.load()?;
    let data = info.try_borrow_data()?;
    let lists = PolicyLists::read(&policy, &data)?;
    account.window.advance(unix_now(&Clock::get()?)?);
    judge(account, &policy, &lists, order).map_err(|refusal| refusal.announce(account, &policy))?;
    Ok(policy.version)
}

/// The operator, where it signs too, must be the account's.
fn is_approved(operator: &Option<Signer>, account: &AgentAccount) -> Result<bool> {
    if let Some(operator) = operator {
        require_keys_eq!(operator.key(), account.operator, PolicyError::WrongOperator);
    }
    Ok(operator.is_some())
}

/// Runs `call` with the account's signer seeds; nothing of it is borrowed meanwhile.
fn signed_by_account<T>(account: &AccountLoader<AgentAccount>, call: impl FnOnce(&[&[u8]]) -> Result<T>) -> Result<T> {
    let (creator, id, bump) = {
        let account = account.load()?;
        (account.creator, account.id, [account.bump])
    };
    call(&AgentAccount::seeds(&creator, &id, &bump))
}

/// Runs `call` with the session's signer seeds; nothing of it is borrowed meanwhile.
fn signed_by_session<T>(session: &AccountLoader<Session>, call: impl FnOnce(&[&[u8]]) -> Result<T>) -> Result<T> {
    let (account, seq, bump) = {
        let session = session.load()?;
        (session.account, session.seq.to_le_bytes(), [session.bump])
    };
    call(&Session::seeds(&account, &seq, &bump))
}

/// Tag of `TransferChecked` in `spl_token::instruction::TokenInstruction`.
const TRANSFER_CHECKED: u8 = 12;

/// One movement of money between two token accounts.
struct Payment<'a, 'info> {
    from: &'a AccountInfo<'info>,
    mint: &'a AccountInfo<'info>,
    to: &'a AccountInfo<'info>,
    /// Owner of `from`, a program-derived address.
    owner: &'a AccountInfo<'info>,
    /// Micro-USDC.
    amount: u64,
    /// Of the mint.
    decimals: u8,
}

impl Payment<'_, '_> {
    /// Calls the token program in the owner's name.
    fn pay(&self, seeds: &[&[u8]]) -> Result<()> {
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
        invoke_signed(&instruction, &infos, &[seeds])?;
        Ok(())
    }
}
