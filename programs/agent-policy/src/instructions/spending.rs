//! A view, to be simulated: returns the state of the daily limit as return data and changes nothing.
use anchor_lang::prelude::*;

use crate::{
    constants::{BUCKETS, LAYOUT_VERSION, NO_LIMIT},
    errors::PolicyError,
    shared::{clock::unix_now, token_view::TokenView},
    state::{AgentAccount, Policy, SpendWindow},
};

#[derive(Accounts)]
pub struct Spending<'info> {
    #[account(
        has_one = token_account @ PolicyError::WrongTokenAccount,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        has_one = account @ PolicyError::WrongPolicy,
        constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub policy: AccountLoader<'info, Policy>,
    /// CHECK: tied to the account and read in place.
    pub token_account: UncheckedAccount<'info>,
}

/// What was spent and what can still be spent, in micro-USDC, by the chain's clock.
#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct SpendingReport {
    /// The chain's time, unix seconds.
    pub now: i64,
    /// Balance of the token account.
    pub balance: u64,
    /// `max_daily_spend`; `u64::MAX` for no limit.
    pub limit: u64,
    /// Spent in the last 24 hours.
    pub spent: u64,
    /// Reserved by open sessions and the open charge.
    pub reserved: u64,
    /// What the limit still allows; `u64::MAX` for no limit.
    pub remaining: u64,
    /// The policy's version.
    pub policy_version: u64,
    /// Number of the first bucket below (unix seconds / 900). Bucket `n` is released at `(n + 97) * 900` unix seconds.
    pub first_bucket: u64,
    /// Spent per bucket, oldest first.
    pub buckets: [u64; BUCKETS],
}

pub fn spending(ctx: Context<Spending>) -> Result<SpendingReport> {
    let account = ctx.accounts.account.load()?;
    let policy = ctx.accounts.policy.load()?;
    let clock = Clock::get()?;
    let token_account = &ctx.accounts.token_account;
    let data = token_account.try_borrow_data()?;
    let balance =
        TokenView::read(&data, token_account.owner, &account.mint).ok_or(PolicyError::WrongTokenAccount)?.amount();

    let mut window = account.window;
    window.advance(unix_now(&clock)?);
    let first_bucket = window.oldest();
    let mut buckets = [0; BUCKETS];
    for (bucket, number) in buckets.iter_mut().zip(first_bucket..=window.newest) {
        *bucket = window.buckets[SpendWindow::slot(number)];
    }
    let remaining = match policy.max_daily_spend {
        NO_LIMIT => NO_LIMIT,
        limit => window.remaining(limit, account.reserved),
    };
    Ok(SpendingReport {
        now: clock.unix_timestamp,
        balance,
        limit: policy.max_daily_spend,
        spent: window.spent,
        reserved: account.reserved,
        remaining,
        policy_version: policy.version,
        first_bucket,
        buckets,
    })
}
