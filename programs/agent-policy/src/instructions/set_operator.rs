//! Another key sets the policy from now on.
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

pub fn set_operator(ctx: Context<SetOperator>) -> Result<()> {
    let new_operator = ctx.accounts.new_operator.key();
    let mut account = ctx.accounts.account.load_mut()?;
    let is_taken = [account.authority, account.creator, account.charge.delegate].contains(&new_operator);
    require!(!is_taken, PolicyError::KeysNotDistinct);
    account.operator = new_operator;
    emit!(OperatorChanged { account: ctx.accounts.account.key(), operator: new_operator });
    Ok(())
}
