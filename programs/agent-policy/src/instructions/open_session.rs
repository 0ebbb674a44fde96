//! A cap for one payee: judged as a whole, reserved, and moved into escrow.
use anchor_lang::prelude::*;
use anchor_spl::{
    associated_token,
    token::{self, Token, TokenAccount},
};

use super::{
    ask, is_approved,
    new_account::{derived_address, NewAccount},
    signed_by_account, Payment,
};
use crate::{
    constants::*,
    errors::PolicyError,
    events::SessionOpened,
    state::{
        check_duration, escrow_balance, spendable_balance, AgentAccount, Entry, Order, Policy, Session, SessionStatus,
        TokenAccountState, TokenView,
    },
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct OpenSessionArgs {
    /// The sequence number that it spends; once for ever. Part of the session's address.
    pub seq: u64,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// SHA-256 of the provider's origin.
    pub provider_hash: [u8; 32],
    /// Micro-USDC, above zero.
    pub cap: u64,
    /// The key that signs vouchers; none of the account's.
    pub voucher_key: Pubkey,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// From now on, by the chain's clock: a time told by another clock could be past, or too far, when it lands.
    pub expires_in_seconds: u32,
    /// Seconds that the payee has to settle after a closing began; 0 for none.
    pub grace_seconds: u32,
    /// Bump of the session's address. Whoever asks searches the bumps: a step of it here costs 1,500 units.
    pub session_bump: u8,
    /// Bump of the escrow's address.
    pub escrow_bump: u8,
    /// Bump of the address of the payee's token account.
    pub payee_bump: u8,
}

#[derive(Accounts)]
pub struct OpenSession<'info> {
    #[account(
        mut,
        has_one = authority @ PolicyError::WrongAuthority,
        has_one = mint @ PolicyError::WrongMint,
        has_one = token_account @ PolicyError::WrongTokenAccount,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        has_one = account @ PolicyError::WrongPolicy,
        constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub policy: AccountLoader<'info, Policy>,
    /// CHECK: created here, at the PDA `["session", account, seq]`.
    #[account(mut)]
    pub session: UncheckedAccount<'info>,
    /// CHECK: created here, at the PDA `["escrow", session]`.
    #[account(mut)]
    pub escrow: UncheckedAccount<'info>,
    pub authority: Signer<'info>,
    /// Signs where the cap is at or above the escalation threshold.
    pub operator: Option<Signer<'info>>,
    /// Pays the rent and gets it back; no key of the account's but its creator.
    #[account(mut)]
    pub payer: Signer<'info>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: whoever is to be paid; its token account is looked at.
    pub payee: UncheckedAccount<'info>,
    /// CHECK: must be the payee's associated token account; read in place.
    pub payee_token_account: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
    pub system_program: Program<'info, System>,
}

pub fn open_session(ctx: Context<OpenSession>, args: OpenSessionArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    check_addresses(accounts, &args)?;
    check_payee(accounts)?;
    let Booked { balance, policy_version, is_approved } = book(accounts, &args)?;
    create_accounts(accounts, &args)?;
    move_cap(accounts, &args, balance)?;

    let opened_at = Clock::get()?.unix_timestamp;
    let session = Session {
        version: LAYOUT_VERSION,
        bump: args.session_bump,
        status: SessionStatus::Open as u8,
        grace_seconds: args.grace_seconds,
        account: accounts.account.key(),
        id: args.session_id,
        provider_hash: args.provider_hash,
        payee: accounts.payee.key(),
        payee_token_account: accounts.payee_token_account.key(),
        voucher_key: args.voucher_key,
        category: args.category.unwrap_or_default(),
        escrow: accounts.escrow.key(),
        rent_payer: accounts.payer.key(),
        seq: args.seq,
        cap: args.cap,
        approved_cap: if is_approved { args.cap } else { 0 },
        opened_at,
        expires_at: opened_at.saturating_add(args.expires_in_seconds.into()),
        ..bytemuck::Zeroable::zeroed()
    };
    session.store(&accounts.session)?;
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
        opened_at,
        expires_at: session.expires_at,
        grace_seconds: args.grace_seconds,
        policy_version,
        approved: is_approved,
    });
    Ok(())
}

/// The three addresses are what their seeds and bumps give. That a bump may be another than the one that a search finds first does
/// no harm: a number opens one session, wherever it lies, and that one makes one escrow; and at the addresses of the associated
/// token program nobody but it makes accounts, and only at the one found first, so the account that `check_payee` finds is that.
fn check_addresses(accounts: &OpenSession, args: &OpenSessionArgs) -> Result<()> {
    let (account, seq) = (accounts.account.key(), args.seq.to_le_bytes());
    let session = derived_address(&Session::seeds(&account, &seq, &[args.session_bump]), &crate::ID);
    require!(*accounts.session.key == session, PolicyError::WrongSession);
    let escrow = derived_address(&Session::escrow_seeds(&session, &[args.escrow_bump]), &crate::ID);
    require!(*accounts.escrow.key == escrow, PolicyError::WrongEscrow);
    let payee_seeds = [accounts.payee.key.as_ref(), token::ID.as_ref(), accounts.mint.key.as_ref(), &[args.payee_bump]];
    let payee_token_account = derived_address(&payee_seeds, &associated_token::ID);
    require!(*accounts.payee_token_account.key == payee_token_account, PolicyError::InvalidDestination);
    Ok(())
}

/// The payee must be able to receive now, at the one address that can be made again if it vanishes.
fn check_payee(accounts: &OpenSession) -> Result<()> {
    let (payee, token_account, mint) = (accounts.payee.key, &accounts.payee_token_account, accounts.mint.key);
    let is_own = *payee == accounts.account.key() || payee == accounts.session.key;
    require!(!is_own, PolicyError::DestinationIsSource);
    let data = token_account.try_borrow_data()?;
    let view = TokenView::read(&data, token_account.owner, mint)
        .filter(|view| view.owner() == payee.as_ref())
        .ok_or(PolicyError::InvalidDestination)?;
    require!(view.state() == TokenAccountState::Initialized, PolicyError::DestinationFrozen);
    Ok(())
}

/// What an opening found.
struct Booked {
    /// Micro-USDC of the account before.
    balance: u64,
    policy_version: u64,
    /// Whether the operator co-signed.
    is_approved: bool,
}

/// Every check, then the number and the cap are taken.
fn book(accounts: &OpenSession, args: &OpenSessionArgs) -> Result<Booked> {
    require!(args.cap > 0, PolicyError::AmountZero);
    check_duration(args.expires_in_seconds, args.grace_seconds)?;
    let mut account = accounts.account.load_mut()?;
    let payer = accounts.payer.key();
    let are_distinct = payer != account.operator
        && payer != account.authority
        && args.voucher_key != payer
        && !account.has_key(&args.voucher_key);
    require!(are_distinct, PolicyError::KeysNotDistinct);
    require!(account.open_sessions < MAX_OPEN_SESSIONS, PolicyError::TooManySessions);
    let is_approved = is_approved(&accounts.operator, &account)?;
    account.replay.spend(args.seq)?;

    let balance = spendable_balance(&accounts.token_account, &account)?;
    let order = Order {
        single: 0,
        session_cap: Some(args.cap),
        amount: args.cap,
        escalated: args.cap,
        recipient: Some([accounts.payee_token_account.key.as_ref(), accounts.payee.key.as_ref()]),
        category: args.category.as_ref(),
        has_memo: true,
        balance,
        is_approved,
    };
    let policy_version = ask(&mut account, &accounts.policy, &order)?;
    account.reserve(args.cap)?;
    account.open_sessions += 1;
    Ok(Booked { balance, policy_version, is_approved })
}

/// The session, still empty, and its escrow.
fn create_accounts(accounts: &OpenSession, args: &OpenSessionArgs) -> Result<()> {
    let (account, session, escrow) = (accounts.account.key(), &accounts.session, &accounts.escrow);
    let payer = &accounts.payer;
    let seq = args.seq.to_le_bytes();
    NewAccount { at: session, payer, owner: &crate::ID, space: Session::SPACE }.create(&Session::seeds(
        &account,
        &seq,
        &[args.session_bump],
    ))?;
    NewAccount { at: escrow, payer, owner: &token::ID, space: TokenAccount::LEN }
        .create(&Session::escrow_seeds(session.key, &[args.escrow_bump]))?;
    token::initialize_account3(CpiContext::new(
        accounts.token_program.key(),
        token::InitializeAccount3 {
            account: escrow.to_account_info(),
            mint: accounts.mint.to_account_info(),
            authority: session.to_account_info(),
        },
    ))
}

fn move_cap(accounts: &OpenSession, args: &OpenSessionArgs, balance: u64) -> Result<()> {
    let payment = Payment {
        from: &accounts.token_account,
        mint: &accounts.mint,
        to: &accounts.escrow,
        owner: accounts.account.as_ref(),
        amount: args.cap,
        decimals: accounts.account.load()?.mint_decimals,
    };
    signed_by_account(&accounts.account, |seeds| payment.pay(seeds))?;
    let account = accounts.account.load()?;
    let left = spendable_balance(&accounts.token_account, &account)?;
    let escrowed = escrow_balance(&accounts.escrow, accounts.session.key, &account)?;
    let is_moved = balance.checked_sub(left) == Some(args.cap) && escrowed == args.cap;
    require!(is_moved, PolicyError::UnexpectedBalance);
    Ok(())
}
