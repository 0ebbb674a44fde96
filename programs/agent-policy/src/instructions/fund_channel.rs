//! Funds a channel purse: the amount goes through the policy check, is reserved and moves to a one-time key, which opens payment channels
//! with it. The chain cannot bind a channel's payee, so an account with `allowed_counterparties` uses sessions.
use anchor_lang::prelude::*;
use anchor_spl::{
    associated_token,
    token::{self, Token},
};

use crate::{
    constants::*,
    errors::PolicyError,
    events::ChannelFunded,
    shared::{
        pda::{derived_address, NewAccount},
        policy_check::Order,
        spend_accounts::*,
        token_view::check_purse_account,
    },
    state::{ChannelPurse, Entry},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct FundChannelArgs {
    /// The nonce that the funding uses up; part of the purse's address.
    pub seq: u64,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// Micro-USDC, above zero.
    pub amount: u64,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// Seconds from now, by the chain's clock, after which anyone may sweep and finish the purse.
    pub expires_in_seconds: u32,
    /// Bump of the purse's address.
    pub purse_bump: u8,
    /// Bump of the address of the key's token account.
    pub key_bump: u8,
}

/// The operator signs if the amount is at or above the escalation threshold.
#[derive(Accounts)]
pub struct FundChannel<'info> {
    pub spender: SpendAccounts<'info>,
    /// CHECK: created here, at the PDA `["channel_purse", account, seq]`.
    #[account(mut)]
    pub purse: UncheckedAccount<'info>,
    /// CHECK: a key generated for this purse: none of the account's keys.
    pub key: UncheckedAccount<'info>,
    /// CHECK: must be the key's associated token account, with the purse as its delegate and close authority; read in place.
    #[account(mut)]
    pub key_token_account: UncheckedAccount<'info>,
    /// Pays the rent and gets it back; may be the account's creator but none of its other keys.
    #[account(mut)]
    pub payer: Signer<'info>,
    pub token_program: Program<'info, Token>,
    pub system_program: Program<'info, System>,
}

impl FundChannel<'_> {
    /// Checks everything but the policy. Returns the spendable balance in micro-USDC.
    fn validate(&self, args: &FundChannelArgs) -> Result<u64> {
        require!(args.amount > 0, PolicyError::AmountZero);
        require!((1..=MAX_CHANNEL_SECONDS).contains(&args.expires_in_seconds), PolicyError::ChannelDurationInvalid);
        self.check_addresses(args)?;
        {
            let (account, operator) = (self.spender.account.load()?, self.spender.effective_operator()?);
            let (key, payer) = (self.key.key, self.payer.key);
            let are_distinct = *payer != operator
                && *payer != account.authority
                && ![*payer, self.spender.account.key(), account.charge.delegate].contains(key)
                && !account.has_key(key, &operator);
            require!(are_distinct, PolicyError::KeysNotDistinct);
        }
        self.spender.validate(args.seq)
    }

    /// Checks that both addresses are those of their seeds and bumps, as `open_session` does.
    fn check_addresses(&self, args: &FundChannelArgs) -> Result<()> {
        let (account, seq) = (self.spender.account.key(), args.seq.to_le_bytes());
        let purse = derived_address(&ChannelPurse::seeds(&account, &seq, &[args.purse_bump]), &crate::ID);
        require!(*self.purse.key == purse, PolicyError::WrongChannelPurse);
        let key_bump = [args.key_bump];
        let key_seeds = [self.key.key.as_ref(), token::ID.as_ref(), self.spender.mint.key.as_ref(), &key_bump];
        let key_token_account = derived_address(&key_seeds, &associated_token::ID);
        require!(*self.key_token_account.key == key_token_account, PolicyError::WrongKeyTokenAccount);
        Ok(())
    }

    /// Creates the purse and returns it.
    fn create_purse(&self, args: &FundChannelArgs) -> Result<ChannelPurse> {
        let purse = ChannelPurse {
            version: LAYOUT_VERSION,
            bump: args.purse_bump,
            account: self.spender.account.key(),
            id: args.purse_id,
            key: self.key.key(),
            key_token_account: self.key_token_account.key(),
            category: args.category.unwrap_or_default(),
            rent_payer: self.payer.key(),
            seq: args.seq,
            amount: args.amount,
            deadline: Clock::get()?.unix_timestamp.saturating_add(args.expires_in_seconds.into()),
            ..bytemuck::Zeroable::zeroed()
        };
        let (seq, bump) = (args.seq.to_le_bytes(), [args.purse_bump]);
        NewAccount { at: &self.purse, payer: &self.payer, owner: &crate::ID, space: ChannelPurse::SPACE }
            .create(&ChannelPurse::seeds(&purse.account, &seq, &bump))?;
        purse.invariant()?;
        purse.store(&self.purse)?;
        Ok(purse)
    }
}

/// Errors: those of the policy check and the nonce window, `ChannelDurationInvalid`, `WrongKeyTokenAccount` unless the key's token account
/// is its own and the purse may sweep and close it, `AddressTaken`.
pub fn fund_channel(ctx: Context<FundChannel>, args: FundChannelArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let spender = &accounts.spender;
    let balance = accounts.validate(&args)?;
    let purse = accounts.create_purse(&args)?;
    let order =
        Order::allowance(args.amount, true, purse.deadline, args.category.as_ref(), balance, spender.is_approved());
    let policy_version = spender.spend(args.seq, &order, Booking::Reserved, |account| account.channel_purses += 1)?;
    spender.transfer(&accounts.key_token_account, args.amount, balance)?;
    check_purse_account(&accounts.key_token_account, accounts.key.key, accounts.purse.key, args.amount)?;
    emit!(ChannelFunded {
        account: purse.account,
        purse: accounts.purse.key(),
        purse_id: args.purse_id,
        seq: args.seq,
        amount: args.amount,
        key: purse.key,
        key_token_account: purse.key_token_account,
        category: purse.category,
        deadline: purse.deadline,
        policy_version,
        approved: spender.is_approved(),
    });
    Ok(())
}
