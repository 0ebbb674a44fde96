//! Replaces the operator: the old one signs, the new one accepts by signing too.
use anchor_lang::prelude::*;

use crate::{constants::LAYOUT_VERSION, errors::PolicyError, events::OperatorChanged, state::AgentAccount};

#[derive(Accounts)]
pub struct SetOperator<'info> {
    #[account(
        mut,
        has_one = operator @ PolicyError::WrongOperator,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    pub operator: Signer<'info>,
    pub new_operator: Signer<'info>,
}

impl SetOperator<'_> {
    fn validate(&self) -> Result<()> {
        let account = self.account.load()?;
        let is_taken = [account.authority, account.creator, account.charge.delegate].contains(self.new_operator.key);
        require!(!is_taken, PolicyError::KeysNotDistinct);
        Ok(())
    }
}

/// Error: `KeysNotDistinct`.
pub fn set_operator(ctx: Context<SetOperator>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let new_operator = accounts.new_operator.key();
    let mut account = accounts.account.load_mut()?;
    account.operator = new_operator;
    account.invariant()?;
    emit!(OperatorChanged { account: accounts.account.key(), operator: new_operator });
    Ok(())
}
