//! USDC accounts for software agents. The limits in here hold against everyone but the account's operator.
use anchor_lang::prelude::*;

pub mod constants;
pub mod errors;
pub mod events;
pub mod instructions;
pub mod state;

use instructions::*;

declare_id!("5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ");

#[program]
pub mod agent_policy {
    use super::*;

    /// Create an account, its policy (no limits) and its USDC token account. The creator pays the rent.
    pub fn create_account(ctx: Context<CreateAccount>, args: CreateAccountArgs) -> Result<()> {
        instructions::create_account(ctx, args)
    }

    /// Change the named fields of the policy. Operator only.
    pub fn set_policy(ctx: Context<SetPolicy>, args: SetPolicyArgs) -> Result<()> {
        instructions::set_policy(ctx, args)
    }

    /// Make room for lists that do not fit one transaction. Operator only.
    pub fn create_policy_draft(ctx: Context<CreatePolicyDraft>, args: CreatePolicyDraftArgs) -> Result<()> {
        instructions::create_policy_draft(ctx, args)
    }

    /// Fill a part of a draft. Operator only.
    pub fn write_policy_draft(ctx: Context<WritePolicyDraft>, offset: u32, content: Vec<u8>) -> Result<()> {
        instructions::write_policy_draft(ctx, offset, content)
    }

    /// Give a draft up. The operator at any time; anybody once it is stale or its account closed.
    pub fn close_policy_draft<'info>(ctx: Context<'info, ClosePolicyDraft<'info>>) -> Result<()> {
        instructions::close_policy_draft(ctx)
    }

    /// Let another key spend, and end the open charge. Operator only.
    pub fn rotate_authority(ctx: Context<RotateAuthority>, new_authority: Pubkey) -> Result<()> {
        instructions::rotate_authority(ctx, new_authority)
    }

    /// Let another key set the policy: the old one signs, the new one accepts.
    pub fn set_operator(ctx: Context<SetOperator>) -> Result<()> {
        instructions::set_operator(ctx)
    }

    /// Pay USDC to a token account, inside the policy.
    pub fn transfer(ctx: Context<Transfer>, args: TransferArgs) -> Result<()> {
        instructions::transfer(ctx, args)
    }

    /// Set a cap aside for one payee, inside the policy.
    pub fn open_session(ctx: Context<OpenSession>, args: OpenSessionArgs) -> Result<()> {
        instructions::open_session(ctx, args)
    }

    /// Raise an open session's cap, inside the policy.
    pub fn top_up_session(ctx: Context<TopUpSession>, args: TopUpSessionArgs) -> Result<()> {
        instructions::top_up_session(ctx, args)
    }

    /// Pay the payee what a voucher proves. Anybody, at any time until the session is over.
    pub fn settle_session(ctx: Context<SettleSession>) -> Result<()> {
        instructions::settle_session(ctx)
    }

    /// Pay the highest voucher and give the rest back, or begin the grace period. Authority or operator.
    pub fn close_session(ctx: Context<CloseSession>) -> Result<()> {
        instructions::close_session(ctx)
    }

    /// The same once the grace period after closing or expiry is over. Anybody.
    pub fn close_expired_session(ctx: Context<EndSession>) -> Result<()> {
        instructions::close_expired_session(ctx)
    }

    /// Take back what a session owes to a payee that could not receive it for 90 days. Operator only.
    pub fn write_off_session(ctx: Context<WriteOffSession>) -> Result<()> {
        instructions::write_off_session(ctx)
    }

    /// Let a key made for it move exactly the amount, inside the policy.
    pub fn approve_charge(ctx: Context<ApproveCharge>, args: ApproveChargeArgs) -> Result<()> {
        instructions::approve_charge(ctx, args)
    }

    /// Revoke what is left of a charge and count what was used. Authority or operator; anybody after its deadline.
    pub fn finish_charge(ctx: Context<FinishCharge>, seq: u64) -> Result<()> {
        instructions::finish_charge(ctx, seq)
    }

    /// A view: whether a single payment inside a session may be made now.
    pub fn check_payment(ctx: Context<CheckPayment>, args: CheckPaymentArgs) -> Result<()> {
        instructions::check_payment(ctx, args)
    }

    /// A view: what may still be spent now, and when spent money comes free.
    pub fn spending(ctx: Context<Spending>) -> Result<SpendingReport> {
        instructions::spending(ctx)
    }

    /// Close an account for good, move what is left to a token account, and give the rent back. Operator only.
    pub fn close_account<'info>(ctx: Context<'info, CloseAccount<'info>>) -> Result<()> {
        instructions::close_account(ctx)
    }

    /// Move what arrived at a closed account. Its operator only.
    pub fn sweep_closed_account(ctx: Context<SweepClosedAccount>) -> Result<()> {
        instructions::sweep_closed_account(ctx)
    }
}
