//! Changes the named limits of a fleet, provided that they still have the version that the caller read.
use anchor_lang::prelude::*;

use super::set_policy::{changed_limit, AmountChange};
use crate::{constants::LAYOUT_VERSION, errors::PolicyError, events::FleetLimitsChanged, state::Fleet};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct SetFleetLimitsArgs {
    /// The version that the caller read.
    pub expected_version: u64,
    /// Maximum of all members together in any 24 hours, micro-USDC.
    pub max_daily_spend: AmountChange,
    /// Maximum of all members together in any 30 days, micro-USDC.
    pub max_monthly_spend: AmountChange,
    /// Maximum of all members together since the fleet was created, micro-USDC.
    pub max_lifetime_spend: AmountChange,
}

#[derive(Accounts)]
pub struct SetFleetLimits<'info> {
    #[account(
        mut,
        has_one = operator @ PolicyError::WrongOperator,
        constraint = fleet.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub fleet: AccountLoader<'info, Fleet>,
    pub operator: Signer<'info>,
}

/// Errors: `WrongOperator`, `LimitsVersionMismatch`.
pub fn set_fleet_limits(ctx: Context<SetFleetLimits>, args: SetFleetLimitsArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let mut fleet = accounts.fleet.load_mut()?;
    require!(args.expected_version == fleet.limits_version, PolicyError::LimitsVersionMismatch);
    fleet.limits_version = fleet.limits_version.checked_add(1).ok_or(PolicyError::Overflow)?;
    fleet.updated_at = Clock::get()?.unix_timestamp;
    fleet.max_daily_spend = changed_limit(fleet.max_daily_spend, &args.max_daily_spend);
    fleet.max_monthly_spend = changed_limit(fleet.max_monthly_spend, &args.max_monthly_spend);
    fleet.max_lifetime_spend = changed_limit(fleet.max_lifetime_spend, &args.max_lifetime_spend);
    fleet.invariant()?;
    emit!(FleetLimitsChanged { fleet: accounts.fleet.key(), version: fleet.limits_version });
    Ok(())
}
