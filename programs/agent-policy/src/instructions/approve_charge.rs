//! A single payment at a provider that takes only a plain token transfer: a key of this one charge may move exactly the amount.
//! The chain cannot bind where to, so an account that lists counterparties pays through sessions.
use anchor_lang::prelude::*;
use anchor_spl::token::{self, Token};

use super::{ask, is_approved, signed_by_account};
use crate::{
    constants::{LAYOUT_VERSION, MAX_CHARGE_SECONDS},
    errors::PolicyError,
    events::ChargeApproved,
    state::{spendable_balance, AgentAccount, Charge, Entry, Order, Policy},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct ApproveChargeArgs {
    /// The sequence number that it spends; once for ever.
    pub seq: u64,
    /// The service's id of the charge.
    pub charge_id: [u8; 16],
    /// Micro-USDC, above zero.
    pub amount: u64,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// From now on, by the chain's clock: after so long anybody may finish it.
    pub expires_in_seconds: u32,
    /// Whether it is a purse, for many payments: then `max_session_cap` holds for it too.
    pub purse: bool,
}

#[derive(Accounts)]
pub struct ApproveCharge<'info> {
    #[account(
        mut,
        has_one = authority @ PolicyError::WrongAuthority,
        has_one = mint @ PolicyError::WrongMint,
        has_one = token_account @ PolicyError::WrongTokenAccount,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        has_one = account @ PolicyError::WrongPolicy,
        constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub policy: AccountLoader<'info, Policy>,
    pub authority: Signer<'info>,
    /// Signs at or above the escalation threshold.
    pub operator: Option<Signer<'info>>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: a key made for this charge; none of the account's, nor the one of the charge before.
    pub delegate: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

pub fn approve_charge(ctx: Context<ApproveCharge>, args: ApproveChargeArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let policy_version = book(accounts, &args)?;
    let decimals = accounts.account.load()?.mint_decimals;
    signed_by_account(&accounts.account, |seeds| {
        token::approve_checked(
            CpiContext::new_with_signer(
                accounts.token_program.key(),
                token::ApproveChecked {
                    to: accounts.token_account.to_account_info(),
                    mint: accounts.mint.to_account_info(),
                    delegate: accounts.delegate.to_account_info(),
                    authority: accounts.account.to_account_info(),
                },
                &[seeds],
            ),
            args.amount,
            decimals,
        )
    })?;
    let account = accounts.account.load()?;
    spendable_balance(&accounts.token_account, &account)?; // the delegate is the one that was named
    emit!(ChargeApproved {
        account: accounts.account.key(),
        charge_id: args.charge_id,
        seq: args.seq,
        amount: args.amount,
        delegate: account.charge.delegate,
        category: args.category.unwrap_or_default(),
        deadline: account.charge.deadline,
        policy_version,
        approved: accounts.operator.is_some(),
    });
    Ok(())
}

/// Every check, then the number and the amount are taken. Returns the policy's version.
fn book(accounts: &ApproveCharge, args: &ApproveChargeArgs) -> Result<u64> {
    require!(args.amount > 0, PolicyError::AmountZero);
    require!((1..=MAX_CHARGE_SECONDS).contains(&args.expires_in_seconds), PolicyError::ChargeDurationInvalid);
    let mut account = accounts.account.load_mut()?;
    require!(!account.has_open_charge(), PolicyError::ChargeOpen);
    let delegate = accounts.delegate.key();
    require!(!account.has_key(&delegate) && delegate != accounts.account.key(), PolicyError::KeysNotDistinct);
    require!(delegate != account.charge.delegate, PolicyError::DelegateUsed);
    let is_approved = is_approved(&accounts.operator, &account)?;
    account.replay.spend(args.seq)?;

    let balance = spendable_balance(&accounts.token_account, &account)?;
    let order = Order {
        single: args.amount,
        session_cap: args.purse.then_some(args.amount),
        amount: args.amount,
        escalated: args.amount,
        recipient: None,
        category: args.category.as_ref(),
        has_memo: true,
        balance,
        is_approved,
    };
    let policy_version = ask(&mut account, &accounts.policy, &order)?;
    account.reserve(args.amount)?;
    account.charge = Charge {
        id: args.charge_id,
        delegate,
        amount: args.amount,
        seq: args.seq,
        deadline: Clock::get()?.unix_timestamp.saturating_add(args.expires_in_seconds.into()),
    };
    Ok(policy_version)
}
