//! Approves a charge, a single payment at a provider that accepts only a plain token transfer: a one-time key becomes the SPL delegate
//! for exactly the amount. The chain cannot bind a charge's destination, so an account with `allowed_counterparties` uses sessions.
use anchor_lang::prelude::*;
use anchor_spl::token::{self, Token};

use crate::{
    constants::MAX_CHARGE_SECONDS,
    errors::PolicyError,
    events::ChargeApproved,
    shared::{
        pda::signed_by_account,
        policy_check::Order,
        spend_accounts::*,
        token_view::{decimals, spendable_balance},
    },
    state::{Charge, Entry},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct ApproveChargeArgs {
    /// The nonce that the charge uses up.
    pub seq: u64,
    /// The service's id of the charge.
    pub charge_id: [u8; 16],
    /// Micro-USDC, above zero.
    pub amount: u64,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// Seconds from now, by the chain's clock, after which anyone may finish the charge.
    pub expires_in_seconds: u32,
    /// Whether it is a purse, for many payments: then `max_session_cap` applies to it too.
    pub purse: bool,
}

#[derive(Accounts)]
pub struct ApproveCharge<'info> {
    pub spender: SpendAccounts<'info>,
    /// CHECK: a key generated for this charge: none of the account's keys, nor the previous charge's.
    pub delegate: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

impl ApproveCharge<'_> {
    /// Checks everything but the policy. Returns the spendable balance in micro-USDC.
    fn validate(&self, args: &ApproveChargeArgs) -> Result<u64> {
        require!(args.amount > 0, PolicyError::AmountZero);
        require!((1..=MAX_CHARGE_SECONDS).contains(&args.expires_in_seconds), PolicyError::ChargeDurationInvalid);
        {
            let account = self.spender.account.load()?;
            require!(!account.has_open_charge(), PolicyError::ChargeOpen);
            let (delegate, operator) = (self.delegate.key, self.spender.effective_operator()?);
            let is_distinct = !account.has_key(delegate, &operator) && *delegate != self.spender.account.key();
            require!(is_distinct, PolicyError::KeysNotDistinct);
            require!(*delegate != account.charge.delegate, PolicyError::DelegateUsed);
        }
        self.spender.validate(args.seq)
    }
}

/// Errors: those of the policy check and the nonce window, `ChargeOpen`, `DelegateUsed`.
pub fn approve_charge(ctx: Context<ApproveCharge>, args: ApproveChargeArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let spender = &accounts.spender;
    let balance = accounts.validate(&args)?;
    let charge = Charge {
        id: args.charge_id,
        delegate: accounts.delegate.key(),
        amount: args.amount,
        seq: args.seq,
        deadline: Clock::get()?.unix_timestamp.saturating_add(args.expires_in_seconds.into()),
    };
    let category = args.category.as_ref();
    let order = Order::allowance(args.amount, args.purse, charge.deadline, category, balance, spender.is_approved());
    let policy_version = spender.spend(args.seq, &order, Booking::Reserved, |account| account.charge = charge)?;
    approve_delegate(accounts, args.amount)?;
    let account = spender.account.load()?;
    spendable_balance(&spender.token_account, &account)?; // fails unless the charge's key is the delegate
    account.touched_invariant()?;
    emit!(ChargeApproved {
        account: spender.account.key(),
        charge_id: args.charge_id,
        seq: args.seq,
        amount: args.amount,
        delegate: charge.delegate,
        category: args.category.unwrap_or_default(),
        deadline: charge.deadline,
        policy_version,
        approved: spender.is_approved(),
    });
    Ok(())
}

fn approve_delegate(accounts: &ApproveCharge, amount: u64) -> Result<()> {
    let spender = &accounts.spender;
    let decimals = decimals(&spender.mint)?;
    signed_by_account(&spender.account, |seeds| {
        token::approve_checked(
            CpiContext::new_with_signer(
                accounts.token_program.key(),
                token::ApproveChecked {
                    to: spender.token_account.to_account_info(),
                    mint: spender.mint.to_account_info(),
                    delegate: accounts.delegate.to_account_info(),
                    authority: spender.account.to_account_info(),
                },
                &[seeds],
            ),
            amount,
            decimals,
        )
    })
}
