//! Creates a fleet with its limits, and its policy without limits.
use anchor_lang::prelude::*;

use crate::{
    constants::*,
    errors::PolicyError,
    events::FleetCreated,
    shared::clock::unix_now,
    state::{Fleet, Policy},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct CreateFleetArgs {
    /// Id that the creator chose; part of the address.
    pub id: [u8; 16],
    /// The key that may pause the fleet and add accounts of the same operator.
    pub guardian: Option<Pubkey>,
    /// Maximum of all members together in any 24 hours, micro-USDC.
    pub max_daily_spend: Option<u64>,
    /// Maximum of all members together in any 30 days, micro-USDC.
    pub max_monthly_spend: Option<u64>,
    /// Maximum of all members together since the fleet was created, micro-USDC.
    pub max_lifetime_spend: Option<u64>,
}

#[derive(Accounts)]
#[instruction(args: CreateFleetArgs)]
pub struct CreateFleet<'info> {
    #[account(
        init,
        payer = creator,
        space = Fleet::SPACE,
        seeds = [FLEET_SEED, creator.key().as_ref(), &args.id],
        bump
    )]
    pub fleet: AccountLoader<'info, Fleet>,
    #[account(init, payer = creator, space = Policy::HEADER, seeds = [POLICY_SEED, fleet.key().as_ref()], bump)]
    pub policy: AccountLoader<'info, Policy>,
    pub operator: Signer<'info>,
    #[account(mut)]
    pub creator: Signer<'info>,
    pub system_program: Program<'info, System>,
}

impl CreateFleet<'_> {
    fn validate(&self, args: &CreateFleetArgs) -> Result<()> {
        let operator = self.operator.key();
        let are_distinct = operator != self.creator.key() && args.guardian != Some(operator);
        require!(are_distinct && args.guardian != Some(Pubkey::default()), PolicyError::KeysNotDistinct);
        Ok(())
    }
}

/// Error: `KeysNotDistinct`.
pub fn create_fleet(ctx: Context<CreateFleet>, args: CreateFleetArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate(&args)?;
    let clock = Clock::get()?;
    let mut fleet = accounts.fleet.load_init()?;
    fleet.version = LAYOUT_VERSION;
    fleet.bump = ctx.bumps.fleet;
    fleet.id = args.id;
    fleet.creator = accounts.creator.key();
    fleet.operator = accounts.operator.key();
    fleet.guardian = args.guardian.unwrap_or_default();
    fleet.limits_version = 1;
    fleet.updated_at = clock.unix_timestamp;
    fleet.max_daily_spend = args.max_daily_spend.unwrap_or(NO_LIMIT);
    fleet.max_monthly_spend = args.max_monthly_spend.unwrap_or(NO_LIMIT);
    fleet.max_lifetime_spend = args.max_lifetime_spend.unwrap_or(NO_LIMIT);
    fleet.tally.advance(unix_now(&clock)?);
    fleet.invariant()?;
    *accounts.policy.load_init()? =
        Policy::without_limits(accounts.fleet.key(), ctx.bumps.policy, clock.unix_timestamp);
    emit!(FleetCreated { fleet: accounts.fleet.key(), operator: fleet.operator });
    Ok(())
}
