//! Opens a session: the cap goes through the policy check, is reserved and moves into escrow.
use anchor_lang::prelude::*;
use anchor_spl::{
    associated_token,
    token::{self, Token, TokenAccount},
};

use crate::{
    constants::*,
    errors::PolicyError,
    events::SessionOpened,
    shared::{
        clock::unix_now,
        ed25519::is_small_order,
        pda::{derived_address, NewAccount},
        policy_check::Order,
        spend_accounts::*,
        token_view::{escrow_balance, TokenAccountState, TokenView},
    },
    state::{check_duration, Entry, Session, SessionStatus},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct OpenSessionArgs {
    /// The nonce that the opening uses up; part of the session's address.
    pub seq: u64,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// SHA-256 of the provider's origin.
    pub provider_hash: [u8; 32],
    /// Micro-USDC, above zero.
    pub cap: u64,
    /// The key that signs vouchers; none of the account's keys.
    pub voucher_key: Pubkey,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// Seconds from now by the chain's clock. An absolute time by the caller's clock could be out of bounds on chain.
    pub expires_in_seconds: u32,
    /// Grace period in seconds; 0 for none.
    pub grace_seconds: u32,
    /// Bump of the session's address. The client searches it: each step costs 1,500 compute units on chain.
    pub session_bump: u8,
    /// Bump of the escrow's address.
    pub escrow_bump: u8,
    /// Bump of the address of the payee's token account.
    pub payee_bump: u8,
}

/// The operator signs if the cap is at or above the escalation threshold.
#[derive(Accounts)]
pub struct OpenSession<'info> {
    pub spender: SpendAccounts<'info>,
    /// CHECK: created here, at the PDA `["session", account, seq]`.
    #[account(mut)]
    pub session: UncheckedAccount<'info>,
    /// CHECK: created here, at the PDA `["escrow", session]`.
    #[account(mut)]
    pub escrow: UncheckedAccount<'info>,
    /// Pays the rent and gets it back; may be the account's creator but none of its other keys.
    #[account(mut)]
    pub payer: Signer<'info>,
    /// CHECK: the owner that is paid; its token account is checked.
    pub payee: UncheckedAccount<'info>,
    /// CHECK: must be the payee's associated token account; read in place.
    pub payee_token_account: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
    pub system_program: Program<'info, System>,
}

impl OpenSession<'_> {
    /// Checks everything but the policy. Returns the spendable balance in micro-USDC.
    fn validate(&self, args: &OpenSessionArgs) -> Result<u64> {
        self.check_addresses(args)?;
        self.check_payee()?;
        require!(args.cap > 0, PolicyError::AmountZero);
        check_duration(args.expires_in_seconds, args.grace_seconds)?;
        require!(!is_small_order(&args.voucher_key.to_bytes()), PolicyError::VoucherKeyInvalid);
        {
            let account = self.spender.account.load()?;
            let payer = self.payer.key();
            let operator = self.spender.effective_operator()?;
            let are_distinct = payer != operator
                && payer != account.authority
                && args.voucher_key != payer
                && !account.has_key(&args.voucher_key, &operator);
            require!(are_distinct, PolicyError::KeysNotDistinct);
            require!(account.open_sessions < MAX_OPEN_SESSIONS, PolicyError::TooManySessions);
        }
        self.spender.validate(args.seq)
    }

    /// Checks that the three addresses are those of their seeds and bumps. A bump other than the canonical one is harmless: a nonce
    /// opens one session, at whatever address, with one escrow; and the associated token program creates accounts only at
    /// canonical addresses, so the token account that `check_payee` finds is the canonical one.
    fn check_addresses(&self, args: &OpenSessionArgs) -> Result<()> {
        let (account, seq) = (self.spender.account.key(), args.seq.to_le_bytes());
        let session = derived_address(&Session::seeds(&account, &seq, &[args.session_bump]), &crate::ID);
        require!(*self.session.key == session, PolicyError::WrongSession);
        let escrow = derived_address(&Session::escrow_seeds(&session, &[args.escrow_bump]), &crate::ID);
        require!(*self.escrow.key == escrow, PolicyError::WrongEscrow);
        let (payee, mint, bump) = (self.payee.key, self.spender.mint.key, [args.payee_bump]);
        let payee_seeds = [payee.as_ref(), token::ID.as_ref(), mint.as_ref(), &bump];
        let payee_token_account = derived_address(&payee_seeds, &associated_token::ID);
        require!(*self.payee_token_account.key == payee_token_account, PolicyError::InvalidDestination);
        Ok(())
    }

    /// Checks that the payee can receive now, at its associated token account, which can be created again if it is closed.
    fn check_payee(&self) -> Result<()> {
        let (payee, token_account) = (self.payee.key, &self.payee_token_account);
        let is_own = *payee == self.spender.account.key() || payee == self.session.key;
        require!(!is_own, PolicyError::DestinationIsSource);
        let data = token_account.try_borrow_data()?;
        let view = TokenView::read(&data, token_account.owner, self.spender.mint.key)
            .filter(|view| view.owner() == payee.as_ref())
            .ok_or(PolicyError::InvalidDestination)?;
        require!(view.state() == TokenAccountState::Initialized, PolicyError::DestinationFrozen);
        Ok(())
    }

    /// Creates the session, still empty, and its escrow.
    fn create_accounts(&self, args: &OpenSessionArgs) -> Result<()> {
        let (account, session, escrow, payer) = (self.spender.account.key(), &self.session, &self.escrow, &self.payer);
        let seq = args.seq.to_le_bytes();
        NewAccount { at: session, payer, owner: &crate::ID, space: Session::SPACE }.create(&Session::seeds(
            &account,
            &seq,
            &[args.session_bump],
        ))?;
        NewAccount { at: escrow, payer, owner: &token::ID, space: TokenAccount::LEN }
            .create(&Session::escrow_seeds(session.key, &[args.escrow_bump]))?;
        token::initialize_account3(CpiContext::new(
            self.token_program.key(),
            token::InitializeAccount3 {
                account: escrow.to_account_info(),
                mint: self.spender.mint.to_account_info(),
                authority: session.to_account_info(),
            },
        ))
    }

    /// Writes the new session and returns it.
    fn store_session(&self, args: &OpenSessionArgs) -> Result<Session> {
        let opened_at = Clock::get()?.unix_timestamp;
        let session = Session {
            version: LAYOUT_VERSION,
            bump: args.session_bump,
            status: SessionStatus::Open as u8,
            grace_seconds: args.grace_seconds,
            account: self.spender.account.key(),
            id: args.session_id,
            provider_hash: args.provider_hash,
            payee: self.payee.key(),
            payee_token_account: self.payee_token_account.key(),
            voucher_key: args.voucher_key,
            category: args.category.unwrap_or_default(),
            escrow: self.escrow.key(),
            rent_payer: self.payer.key(),
            seq: args.seq,
            cap: args.cap,
            approved_cap: if self.spender.is_approved() { args.cap } else { 0 },
            opened_at,
            expires_at: opened_at.saturating_add(args.expires_in_seconds.into()),
            ..bytemuck::Zeroable::zeroed()
        };
        session.invariant()?;
        session.store(&self.session)?;
        Ok(session)
    }
}

/// Errors: those of the policy check and the nonce window, `TooManySessions`, `SessionDurationInvalid`, `AddressTaken`.
pub fn open_session(ctx: Context<OpenSession>, args: OpenSessionArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let spender = &accounts.spender;
    let balance = accounts.validate(&args)?;
    let order = Order {
        single_amount: 0,
        session_cap: Some(args.cap),
        amount: args.cap,
        ends_at: unix_now(&Clock::get()?)?.saturating_add(args.expires_in_seconds.into()),
        escalation_amount: args.cap,
        destination: Some([accounts.payee_token_account.key.as_ref(), accounts.payee.key.as_ref()]),
        category: args.category.as_ref(),
        has_memo: true,
        balance,
        is_approved: spender.is_approved(),
    };
    let policy_version = spender.spend(args.seq, &order, Booking::Reserved, |account| account.open_sessions += 1)?;
    accounts.create_accounts(&args)?;
    spender.transfer(&accounts.escrow, args.cap, balance)?;
    let escrowed = escrow_balance(&accounts.escrow, accounts.session.key)?;
    require!(escrowed == args.cap, PolicyError::UnexpectedBalance);
    let session = accounts.store_session(&args)?;
    emit!(SessionOpened {
        account: session.account,
        session: accounts.session.key(),
        session_id: args.session_id,
        seq: args.seq,
        cap: args.cap,
        payee: session.payee,
        payee_token_account: session.payee_token_account,
        voucher_key: args.voucher_key,
        provider_hash: args.provider_hash,
        category: session.category,
        opened_at: session.opened_at,
        expires_at: session.expires_at,
        grace_seconds: args.grace_seconds,
        policy_version,
        approved: spender.is_approved(),
    });
    Ok(())
}
