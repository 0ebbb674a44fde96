//! Pays USDC to a token account: check, use up the nonce, record the amount, transfer, emit the event.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    errors::PolicyError,
    events::Transferred,
    shared::{
        policy_check::Order,
        spend_accounts::*,
        token_view::{TokenAccountState, TokenView},
    },
    state::Entry,
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct TransferArgs {
    /// The nonce that the transfer uses up.
    pub seq: u64,
    /// The service's id of the transfer.
    pub transfer_id: [u8; 16],
    /// Micro-USDC, above zero.
    pub amount: u64,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// HMAC of the memo, whose text stays off chain.
    pub memo_hash: Option<[u8; 32]>,
}

#[derive(Accounts)]
pub struct Transfer<'info> {
    pub spender: SpendAccounts<'info>,
    /// CHECK: the token account that is credited; read in place.
    #[account(mut)]
    pub destination: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

impl Transfer<'_> {
    /// Checks everything but the policy. Returns the spendable balance in micro-USDC and the owner of the destination.
    fn validate(&self, args: &TransferArgs) -> Result<(u64, Pubkey)> {
        require!(args.amount > 0, PolicyError::AmountZero);
        let balance = self.spender.validate(args.seq)?;
        require!(self.destination.key != self.spender.token_account.key, PolicyError::DestinationIsSource);
        let data = self.destination.try_borrow_data()?;
        let view = TokenView::read(&data, self.destination.owner, self.spender.mint.key)
            .ok_or(PolicyError::InvalidDestination)?;
        require!(view.state() == TokenAccountState::Initialized, PolicyError::DestinationFrozen);
        let owner = Pubkey::try_from(view.owner()).map_err(|_| PolicyError::InvalidDestination)?;
        Ok((balance, owner))
    }
}

/// Errors: those of the policy check, of the nonce window and of the token accounts.
pub fn transfer(ctx: Context<Transfer>, args: TransferArgs) -> Result<()> {
    let (spender, destination) = (&ctx.accounts.spender, &ctx.accounts.destination);
    let (balance, destination_owner) = ctx.accounts.validate(&args)?;
    let order = Order {
        single_amount: args.amount,
        session_cap: None,
        amount: args.amount,
        ends_at: 0,
        escalation_amount: args.amount,
        destination: Some([destination.key.as_ref(), destination_owner.as_ref()]),
        category: args.category.as_ref(),
        has_memo: args.memo_hash.is_some(),
        balance,
        is_approved: spender.is_approved(),
    };
    let policy_version = spender.spend(args.seq, &order, Booking::Spent, |_| ())?;
    spender.transfer(destination, args.amount, balance)?;
    emit!(Transferred {
        account: spender.account.key(),
        transfer_id: args.transfer_id,
        seq: args.seq,
        amount: args.amount,
        destination: destination.key(),
        policy_version,
        category: args.category.unwrap_or_default(),
        memo_hash: args.memo_hash.unwrap_or_default(),
        approved: spender.is_approved(),
    });
    Ok(())
}
