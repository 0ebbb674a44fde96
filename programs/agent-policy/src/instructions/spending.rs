//! Views, to be simulated: they return what was spent and what the limits are as return data, and change nothing.
use anchor_lang::prelude::*;

use crate::{
    constants::{BUCKETS, LAYOUT_VERSION},
    errors::PolicyError,
    shared::{clock::unix_now, token_view::TokenView},
    state::{AgentAccount, Fleet, Policy, Ring, SpendLimits, Tally},
};

#[derive(Accounts)]
pub struct Spending<'info> {
    #[account(
        has_one = token_account @ PolicyError::WrongTokenAccount,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    /// The account's own policy, if it has one.
    pub policy: Option<AccountLoader<'info, Policy>>,
    /// CHECK: tied to the account and read in place.
    pub token_account: UncheckedAccount<'info>,
}

#[derive(Accounts)]
pub struct FleetSpending<'info> {
    #[account(constraint = fleet.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion)]
    pub fleet: AccountLoader<'info, Fleet>,
}

/// What was spent and what the limits are, in micro-USDC, by the chain's clock.
#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct SpendingReport {
    /// The chain's time, unix seconds.
    pub now: i64,
    /// Balance of the token account; 0 for a fleet.
    pub balance: u64,
    /// `max_daily_spend`; `u64::MAX` for no limit.
    pub limit: u64,
    /// `max_monthly_spend`; `u64::MAX` for no limit.
    pub monthly_limit: u64,
    /// `max_lifetime_spend`; `u64::MAX` for no limit.
    pub lifetime_limit: u64,
    /// Spent in the last 24 hours.
    pub spent: u64,
    /// Spent in the last 30 days.
    pub monthly_spent: u64,
    /// Ever spent.
    pub lifetime_spent: u64,
    /// Reserved by open sessions and charges.
    pub reserved: u64,
    /// The version of the policy, 0 without one; of a fleet's limits.
    pub policy_version: u64,
    /// Number of the first bucket below (unix seconds / 900). Bucket `n` is released at `(n + 97) * 900` unix seconds.
    pub first_bucket: u64,
    /// Spent per bucket, oldest first.
    pub buckets: [u64; BUCKETS],
}

/// Errors: `WrongPolicy`, `WrongTokenAccount`.
pub fn spending(ctx: Context<Spending>) -> Result<SpendingReport> {
    let account = ctx.accounts.account.load()?;
    let token_account = &ctx.accounts.token_account;
    let data = token_account.try_borrow_data()?;
    let balance = TokenView::of_any_mint(&data, token_account.owner).ok_or(PolicyError::WrongTokenAccount)?.amount();
    require!(ctx.accounts.policy.is_some() == (account.has_policy != 0), PolicyError::WrongPolicy);
    let (limits, version) = match &ctx.accounts.policy {
        Some(policy) => {
            let policy = policy.load()?;
            require!(policy.layout_version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
            require_keys_eq!(policy.owner, ctx.accounts.account.key(), PolicyError::WrongPolicy);
            (policy.limits(), policy.version)
        }
        None => (SpendLimits::NONE, 0),
    };
    report(&account.tally, balance, &limits, version)
}

pub fn fleet_spending(ctx: Context<FleetSpending>) -> Result<SpendingReport> {
    let fleet = ctx.accounts.fleet.load()?;
    report(&fleet.tally, 0, &fleet.limits(), fleet.limits_version)
}

fn report(tally: &Tally, balance: u64, limits: &SpendLimits, policy_version: u64) -> Result<SpendingReport> {
    let clock = Clock::get()?;
    let mut tally = *tally;
    tally.advance(unix_now(&clock)?);
    require!(tally.is_consistent(), PolicyError::InvariantViolated);
    let window = &tally.window;
    let first_bucket = window.oldest();
    let mut buckets = [0; BUCKETS];
    for (bucket, number) in buckets.iter_mut().zip(first_bucket..=window.newest) {
        *bucket = window.bucket(number);
    }
    Ok(SpendingReport {
        now: clock.unix_timestamp,
        balance,
        limit: limits.max_daily_spend,
        monthly_limit: limits.max_monthly_spend,
        lifetime_limit: limits.max_lifetime_spend,
        spent: window.spent,
        monthly_spent: tally.month.spent,
        lifetime_spent: tally.lifetime,
        reserved: tally.reserved,
        policy_version,
        first_bucket,
        buckets,
    })
}
