//! Creates an account, its policy without limits, and its token account.
use anchor_lang::prelude::*;
use anchor_spl::{
    associated_token::{self, AssociatedToken},
    token::{self, Mint, Token},
};

use crate::{
    constants::*,
    errors::PolicyError,
    shared::{clock::unix_now, token_view::spendable_balance},
    state::{AgentAccount, Policy},
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
    #[account(init, payer = creator, space = Policy::HEADER, seeds = [POLICY_SEED, account.key().as_ref()], bump)]
    pub policy: AccountLoader<'info, Policy>,
    /// CHECK: created or checked by the associated token program for this owner and mint.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    pub mint: Account<'info, Mint>,
    #[account(mut)]
    pub creator: Signer<'info>,
    pub token_program: Program<'info, Token>,
    pub associated_token_program: Program<'info, AssociatedToken>,
    pub system_program: Program<'info, System>,
}

impl CreateAccount<'_> {
    fn validate(&self, args: &CreateAccountArgs) -> Result<()> {
        let creator = self.creator.key();
        let are_distinct = args.operator != args.authority && args.operator != creator && args.authority != creator;
        require!(are_distinct, PolicyError::KeysNotDistinct);
        // Lamports sent to a token account of the native mint become tokens without a transfer.
        require_keys_neq!(self.mint.key(), token::spl_token::native_mint::ID, PolicyError::WrongMint);
        Ok(())
    }
}

/// Errors: `KeysNotDistinct`, `WrongMint`.
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
    account.mint_decimals = accounts.mint.decimals;
    account.id = args.id;
    account.creator = accounts.creator.key();
    account.operator = args.operator;
    account.authority = args.authority;
    account.mint = accounts.mint.key();
    account.token_account = accounts.token_account.key();
    account.window.newest = unix_now(&clock)? / BUCKET_SECONDS;
    spendable_balance(&accounts.token_account, &account)?;
    account.invariant()?;

    let mut policy = accounts.policy.load_init()?;
    policy.layout_version = LAYOUT_VERSION;
    policy.bump = ctx.bumps.policy;
    policy.account = accounts.account.key();
    policy.version = 1;
    policy.updated_at = clock.unix_timestamp;
    policy.max_single_transfer = NO_LIMIT;
    policy.max_daily_spend = NO_LIMIT;
    policy.escalation_threshold = NO_LIMIT;
    Ok(())
}
