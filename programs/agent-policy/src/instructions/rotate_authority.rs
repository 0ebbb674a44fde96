//! Another key spends from now on.
use anchor_lang::prelude::*;

use crate::{errors::PolicyError, events::AuthorityRotated, state::AgentAccount};

#[derive(Accounts)]
pub struct RotateAuthority<'info> {
    #[account(mut, has_one = operator @ PolicyError::WrongOperator)]
    pub account: AccountLoader<'info, AgentAccount>,
    pub operator: Signer<'info>,
}

pub fn rotate_authority(ctx: Context<RotateAuthority>, new_authority: Pubkey) -> Result<()> {
    let mut account = ctx.accounts.account.load_mut()?;
    let is_taken = [account.operator, account.creator, account.charge.delegate].contains(&new_authority);
    require!(!is_taken, PolicyError::KeysNotDistinct);
    account.authority = new_authority;
    emit!(AuthorityRotated { account: ctx.accounts.account.key(), authority: new_authority });
    Ok(())
}
