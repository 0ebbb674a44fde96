//! USDC accounts for software agents. The program enforces each account's spending policy, which only its operator can change.
use anchor_lang::prelude::*;

pub mod constants;
pub mod errors;
pub mod events;
pub mod instructions;
pub mod shared;
pub mod state;

use instructions::*;

declare_id!("5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ");

#[program]
pub mod agent_policy {
    use super::*;

    /// Creates an account and its USDC token account; outside of a fleet also its policy (no limits). The creator pays the rent.
    pub fn create_account(ctx: Context<CreateAccount>, args: CreateAccountArgs) -> Result<()> {
        instructions::create_account(ctx, args)
    }

    /// Changes the named fields of the policy of an account or a fleet. Operator only; a fleet's guardian may pause it.
    pub fn set_policy<'info>(ctx: Context<'info, SetPolicy<'info>>, args: SetPolicyArgs) -> Result<()> {
        instructions::set_policy(ctx, args)
    }

    /// Creates a draft for lists that do not fit in one transaction. Operator only.
    pub fn create_policy_draft(ctx: Context<CreatePolicyDraft>, args: CreatePolicyDraftArgs) -> Result<()> {
        instructions::create_policy_draft(ctx, args)
    }

    /// Writes a part of a draft. Operator only.
    pub fn write_policy_draft(ctx: Context<WritePolicyDraft>, offset: u32, content: Vec<u8>) -> Result<()> {
        instructions::write_policy_draft(ctx, offset, content)
    }

    /// Makes room in a policy for the lists of a draft. Anyone who pays the rent.
    pub fn grow_policy(ctx: Context<GrowPolicy>) -> Result<()> {
        instructions::grow_policy(ctx)
    }

    /// Closes a draft. The operator at any time; anyone if it is stale or its account is closed.
    pub fn close_policy_draft<'info>(ctx: Context<'info, ClosePolicyDraft<'info>>) -> Result<()> {
        instructions::close_policy_draft(ctx)
    }

    /// Replaces the authority and finishes the open charge. Operator only.
    pub fn rotate_authority(ctx: Context<RotateAuthority>, new_authority: Pubkey) -> Result<()> {
        instructions::rotate_authority(ctx, new_authority)
    }

    /// Replaces the operator: the old one signs, and the new one signs too or has accepted.
    pub fn set_operator(ctx: Context<SetOperator>) -> Result<()> {
        instructions::set_operator(ctx)
    }

    /// Transfers USDC to a token account, inside the policy.
    pub fn transfer(ctx: Context<Transfer>, args: TransferArgs) -> Result<()> {
        instructions::transfer(ctx, args)
    }

    /// Opens a session: moves a cap for one payee into escrow, inside the policy.
    pub fn open_session(ctx: Context<OpenSession>, args: OpenSessionArgs) -> Result<()> {
        instructions::open_session(ctx, args)
    }

    /// Raises an open session's cap, inside the policy.
    pub fn top_up_session(ctx: Context<TopUpSession>, args: TopUpSessionArgs) -> Result<()> {
        instructions::top_up_session(ctx, args)
    }

    /// Pays the payee what a voucher proves. Anyone, until the session is closed.
    pub fn settle_session(ctx: Context<SettleSession>) -> Result<()> {
        instructions::settle_session(ctx)
    }

    /// Pays the highest voucher and refunds the rest, or starts the grace period. Authority or operator.
    pub fn close_session(ctx: Context<CloseSession>) -> Result<()> {
        instructions::close_session(ctx)
    }

    /// Pays the highest voucher and refunds the rest after the grace period. Anyone.
    pub fn close_expired_session(ctx: Context<CloseExpiredSession>) -> Result<()> {
        instructions::close_expired_session(ctx)
    }

    /// Takes back what a session owes to a payee that could not receive it for 90 days. Operator only.
    pub fn write_off_session(ctx: Context<WriteOffSession>) -> Result<()> {
        instructions::write_off_session(ctx)
    }

    /// Approves a charge: a one-time key may move exactly the amount, inside the policy.
    pub fn approve_charge(ctx: Context<ApproveCharge>, args: ApproveChargeArgs) -> Result<()> {
        instructions::approve_charge(ctx, args)
    }

    /// Revokes a charge's delegate and counts what was spent. Authority or operator; anyone after its deadline.
    pub fn finish_charge(ctx: Context<FinishCharge>, seq: u64) -> Result<()> {
        instructions::finish_charge(ctx, seq)
    }

    /// Funds a channel purse: moves an amount to a one-time key that opens payment channels with it, inside the policy.
    pub fn fund_channel(ctx: Context<FundChannel>, args: FundChannelArgs) -> Result<()> {
        instructions::fund_channel(ctx, args)
    }

    /// Moves home what lies in a channel purse. Authority or operator; anyone after its deadline.
    pub fn sweep_channel(ctx: Context<SweepChannel>) -> Result<()> {
        instructions::sweep_channel(ctx)
    }

    /// Counts as spent what of a channel purse did not come home and releases the rest. Authority or operator; anyone after its deadline.
    pub fn finish_channel(ctx: Context<SweepChannel>) -> Result<()> {
        instructions::finish_channel(ctx)
    }

    /// Closes a channel purse whose channels are gone; finishes it first if that was not done. Authority or operator only.
    pub fn close_channel(ctx: Context<CloseChannel>) -> Result<()> {
        instructions::close_channel(ctx)
    }

    /// A view: whether a single payment inside a session is allowed now.
    pub fn check_payment(ctx: Context<CheckPayment>, args: CheckPaymentArgs) -> Result<()> {
        instructions::check_payment(ctx, args)
    }

    /// A view: what can still be spent now, and when spent amounts are released.
    pub fn spending(ctx: Context<Spending>) -> Result<SpendingReport> {
        instructions::spending(ctx)
    }

    /// Closes an account permanently, transfers what is left and returns the rent. Operator only.
    pub fn close_account<'info>(ctx: Context<'info, CloseAccount<'info>>) -> Result<()> {
        instructions::close_account(ctx)
    }

    /// Transfers money that arrived at a closed account. Its operator only.
    pub fn sweep_closed_account<'info>(
        ctx: Context<'info, SweepClosedAccount<'info>>,
        args: SweepClosedAccountArgs,
    ) -> Result<()> {
        instructions::sweep_closed_account(ctx, args)
    }

    /// Creates a fleet with its limits, and its policy (no limits). Operator only; the creator pays the rent.
    pub fn create_fleet(ctx: Context<CreateFleet>, args: CreateFleetArgs) -> Result<()> {
        instructions::create_fleet(ctx, args)
    }

    /// Changes the named limits of a fleet. Operator only.
    pub fn set_fleet_limits(ctx: Context<SetFleetLimits>, args: SetFleetLimitsArgs) -> Result<()> {
        instructions::set_fleet_limits(ctx, args)
    }

    /// Adds an account of the same operator to a fleet. The fleet's operator or guardian.
    pub fn join_fleet(ctx: Context<JoinFleet>) -> Result<()> {
        instructions::join_fleet(ctx)
    }

    /// Takes an account out of its fleet. Operator only.
    pub fn leave_fleet(ctx: Context<LeaveFleet>) -> Result<()> {
        instructions::leave_fleet(ctx)
    }

    /// Replaces the operator of a fleet and of all its members: the old one signs, and the new one signs too or has accepted.
    pub fn set_fleet_operator(ctx: Context<SetFleetOperator>) -> Result<()> {
        instructions::set_fleet_operator(ctx)
    }

    /// Closes a fleet without members permanently and returns the rent. Operator only.
    pub fn close_fleet<'info>(ctx: Context<'info, CloseFleet<'info>>) -> Result<()> {
        instructions::close_fleet(ctx)
    }

    /// Ends a member's own policy. Operator only.
    pub fn end_policy(ctx: Context<EndPolicy>, expected_version: u64) -> Result<()> {
        instructions::end_policy(ctx, expected_version)
    }

    /// Gives back what an account or a fleet, and its policy, hold above today's minimum of rent. Anyone; to the creator.
    pub fn return_surplus_rent<'info>(ctx: Context<'info, ReturnSurplusRent<'info>>) -> Result<()> {
        instructions::return_surplus_rent(ctx)
    }

    /// A view: what the members of a fleet spent together, and its limits.
    pub fn fleet_spending(ctx: Context<FleetSpending>) -> Result<SpendingReport> {
        instructions::fleet_spending(ctx)
    }
}
