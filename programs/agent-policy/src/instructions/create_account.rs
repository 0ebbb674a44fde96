//! Creates an account and its token account; outside of a fleet with a policy without limits, in a fleet without a policy of its own.
use anchor_lang::prelude::*;
use anchor_spl::{
    associated_token::{self, AssociatedToken},
    token::{self, Mint, Token},
};

use super::join_fleet::check_joining;
use crate::{
    constants::*,
    errors::PolicyError,
    events::FleetJoined,
    shared::{
        clock::unix_now,
        token_view::{check_mint, spendable_balance},
    },
    state::{AgentAccount, Fleet, Policy},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct CreateAccountArgs {
    /// Id that the creator chose; part of the address.
    pub id: [u8; 16],
    /// The key that sets the policy.
    pub operator: Pubkey,
    /// The key that spends inside the policy.
    pub authority: Pubkey,
}

#[derive(Accounts)]
#[instruction(args: CreateAccountArgs)]
pub struct CreateAccount<'info> {
    #[account(
        init,
        payer = creator,
        space = AgentAccount::SPACE,
        seeds = [ACCOUNT_SEED, creator.key().as_ref(), &args.id],
        bump
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    /// The policy of an account outside of a fleet.
    #[account(init, payer = creator, space = Policy::HEADER, seeds = [POLICY_SEED, account.key().as_ref()], bump)]
    pub policy: Option<AccountLoader<'info, Policy>>,
    /// CHECK: created or checked by the associated token program for this owner and mint.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    pub mint: Account<'info, Mint>,
    #[account(mut)]
    pub creator: Signer<'info>,
    pub token_program: Program<'info, Token>,
    pub associated_token_program: Program<'info, AssociatedToken>,
    pub system_program: Program<'info, System>,
    /// The fleet that the account is created in.
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
    /// The fleet's operator or guardian.
    pub fleet_signer: Option<Signer<'info>>,
}

impl CreateAccount<'_> {
    fn validate(&self, args: &CreateAccountArgs) -> Result<()> {
        let creator = self.creator.key();
        let are_distinct = args.operator != args.authority && args.operator != creator && args.authority != creator;
        require!(are_distinct, PolicyError::KeysNotDistinct);
        require!(self.policy.is_some() == self.fleet.is_none(), PolicyError::WrongPolicy);
        if let Some(fleet) = &self.fleet {
            let signer = self.fleet_signer.as_ref().ok_or(PolicyError::WrongOperator)?;
            check_joining(&*fleet.load()?, &args.operator, signer.key)?;
        }
        // Lamports sent to a token account of the native mint become tokens without a transfer.
        require_keys_neq!(self.mint.key(), token::spl_token::native_mint::ID, PolicyError::WrongMint);
        Ok(())
    }
}

/// Errors: `KeysNotDistinct`, `WrongMint`, and those of `join_fleet`.
pub fn create_account(ctx: Context<CreateAccount>, args: CreateAccountArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate(&args)?;

    // Idempotent: anyone may have created this token account before.
    associated_token::create_idempotent(CpiContext::new(
        accounts.associated_token_program.key(),
        associated_token::Create {
            payer: accounts.creator.to_account_info(),
            associated_token: accounts.token_account.to_account_info(),
            authority: accounts.account.to_account_info(),
            mint: accounts.mint.to_account_info(),
            system_program: accounts.system_program.to_account_info(),
            token_program: accounts.token_program.to_account_info(),
        },
    ))?;

    let clock = Clock::get()?;
    let mut account = accounts.account.load_init()?;
    account.version = LAYOUT_VERSION;
    account.bump = ctx.bumps.account;
    account.id = args.id;
    account.creator = accounts.creator.key();
    account.controller = accounts.fleet.as_ref().map_or(args.operator, |fleet| fleet.key());
    (account.is_member, account.has_policy) = (accounts.fleet.is_some().into(), accounts.policy.is_some().into());
    account.authority = args.authority;
    account.token_account = accounts.token_account.key();
    account.tally.advance(unix_now(&clock)?);
    check_mint(&accounts.token_account, &accounts.mint.key())?;
    spendable_balance(&accounts.token_account, &account)?;
    account.invariant()?;

    if let (Some(policy), Some(bump)) = (&accounts.policy, ctx.bumps.policy) {
        *policy.load_init()? = Policy::without_limits(accounts.account.key(), bump, clock.unix_timestamp);
    }
    if let Some(fleet) = &accounts.fleet {
        let mut fleet = fleet.load_mut()?;
        fleet.members = fleet.members.checked_add(1).ok_or(PolicyError::Overflow)?;
        emit!(FleetJoined { fleet: account.controller, account: accounts.account.key() });
    }
    Ok(())
}
