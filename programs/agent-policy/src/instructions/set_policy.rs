//! Change a policy: only the named fields, and only if it still is the version that the caller read.
use anchor_lang::{prelude::*, system_program};
use anchor_spl::token::Token;
use solana_sha256_hasher::hash;

use super::{rent_recipient, stop_charge};
use crate::{
    constants::*,
    errors::PolicyError,
    events::PolicyChanged,
    state::{AgentAccount, Entry, EntryWords, Policy, PolicyDraft, PolicyLists},
};

/// What becomes of an amount in micro-USDC.
#[derive(AnchorSerialize, AnchorDeserialize, PartialEq, Eq)]
pub enum AmountChange {
    /// As it was.
    Keep,
    /// No limit.
    Clear,
    /// This limit.
    Set { amount: u64 },
}

/// What becomes of a list.
#[derive(AnchorSerialize, AnchorDeserialize, PartialEq, Eq)]
pub enum ListChange {
    /// As it was.
    Keep,
    /// No list: all are allowed.
    Clear,
    /// These; none at all if it is empty.
    Set { entries: Vec<Entry> },
    /// Those in the draft.
    Staged,
}

#[derive(AnchorSerialize, AnchorDeserialize, PartialEq, Eq)]
pub struct SetPolicyArgs {
    /// The version that was read; it may only be left out where nothing but `paused: true` is set.
    pub expected_version: Option<u64>,
    /// Most micro-USDC in one transfer or charge.
    pub max_single_transfer: AmountChange,
    /// Most micro-USDC in any 24 hours.
    pub max_daily_spend: AmountChange,
    /// Most micro-USDC of one session's cap, or of one purse.
    pub max_session_cap: AmountChange,
    /// From this many micro-USDC on the operator must sign.
    pub escalation_threshold: AmountChange,
    /// Addresses, or owners, of token accounts that may be paid.
    pub allowed_counterparties: ListChange,
    /// Categories that may be paid.
    pub categories: ListChange,
    /// Whether a transfer needs a memo.
    pub require_memo: Option<bool>,
    /// Whether all spending is stopped.
    pub paused: Option<bool>,
}

impl SetPolicyArgs {
    fn is_pause_alone(&self) -> bool {
        *self
            == Self {
                expected_version: None,
                max_single_transfer: AmountChange::Keep,
                max_daily_spend: AmountChange::Keep,
                max_session_cap: AmountChange::Keep,
                escalation_threshold: AmountChange::Keep,
                allowed_counterparties: ListChange::Keep,
                categories: ListChange::Keep,
                require_memo: None,
                paused: Some(true),
            }
    }

    fn is_staged(&self) -> bool {
        self.allowed_counterparties == ListChange::Staged || self.categories == ListChange::Staged
    }
}

#[derive(Accounts)]
pub struct SetPolicy<'info> {
    #[account(
        mut,
        has_one = operator @ PolicyError::WrongOperator,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion,
        constraint = account.load()?.creator == rent_recipient.key() @ PolicyError::WrongRentRecipient
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        mut,
        has_one = account @ PolicyError::WrongPolicy,
        constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub policy: AccountLoader<'info, Policy>,
    pub operator: Signer<'info>,
    /// Pays where the policy grows.
    #[account(mut)]
    pub payer: Signer<'info>,
    /// CHECK: the account's creator, who gets the rent where the policy shrinks.
    #[account(mut)]
    pub rent_recipient: UncheckedAccount<'info>,
    /// Closed once its lists are taken.
    #[account(mut, has_one = account @ PolicyError::WrongDraft)]
    pub draft: Option<Account<'info, PolicyDraft>>,
    /// CHECK: who paid for the draft; compared in the handler, as Anchor's `close` takes no optional pair.
    #[account(mut)]
    pub draft_rent_recipient: Option<UncheckedAccount<'info>>,
    pub system_program: Program<'info, System>,
    /// CHECK: the account's own; needed where it is paused while a charge is open.
    #[account(mut, address = account.load()?.token_account @ PolicyError::WrongTokenAccount)]
    pub token_account: Option<UncheckedAccount<'info>>,
    /// Needed where it is paused while a charge is open.
    pub token_program: Option<Program<'info, Token>>,
}

pub fn set_policy(ctx: Context<SetPolicy>, args: SetPolicyArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let current = *accounts.policy.load()?;
    match args.expected_version {
        Some(expected) => require!(expected == current.version, PolicyError::PolicyVersionMismatch),
        None => require!(args.is_pause_alone(), PolicyError::PolicyVersionRequired),
    }

    let policy_info = accounts.policy.to_account_info();
    let (counterparties, categories) = {
        let data = policy_info.try_borrow_data()?;
        let lists = PolicyLists::read(&current, &data)?;
        let staged = staged_lists(accounts, &args, current.version)?;
        let (staged_counterparties, staged_categories) = match &staged {
            Some((first, second)) => (Some(first), Some(second)),
            None => (None, None),
        };
        (
            changed(lists.allowed_counterparties, args.allowed_counterparties, staged_counterparties)?,
            changed(lists.categories, args.categories, staged_categories)?,
        )
    };
    let max_session_cap = match args.max_session_cap {
        AmountChange::Keep => current.max_session_cap(),
        AmountChange::Clear => None,
        AmountChange::Set { amount } => Some(amount),
    };
    let next = Policy {
        version: current.version.checked_add(1).ok_or(PolicyError::Overflow)?,
        updated_at: Clock::get()?.unix_timestamp,
        max_single_transfer: amount(current.max_single_transfer, args.max_single_transfer),
        max_daily_spend: amount(current.max_daily_spend, args.max_daily_spend),
        max_session_cap: max_session_cap.unwrap_or_default(),
        has_max_session_cap: max_session_cap.is_some().into(),
        escalation_threshold: amount(current.escalation_threshold, args.escalation_threshold),
        require_memo: args.require_memo.map_or(current.require_memo, u8::from),
        paused: args.paused.map_or(current.paused, u8::from),
        has_allowed_counterparties: counterparties.is_some().into(),
        has_categories: categories.is_some().into(),
        counterparty_count: count(&counterparties, MAX_COUNTERPARTIES, PolicyError::TooManyCounterparties)?,
        category_count: count(&categories, MAX_CATEGORIES, PolicyError::TooManyCategories)?,
        ..current
    };

    let entries = [counterparties.unwrap_or_default(), categories.unwrap_or_default()].concat();
    resize(accounts, &policy_info, Policy::space(entries.len()))?;
    *accounts.policy.load_mut()? = next;
    policy_info.try_borrow_mut_data()?[Policy::HEADER..].copy_from_slice(bytemuck::cast_slice(&entries));
    if let Some(draft) = &accounts.draft {
        let recipient = accounts.draft_rent_recipient.as_ref().ok_or(PolicyError::WrongRentRecipient)?;
        require_keys_eq!(recipient.key(), draft.rent_payer, PolicyError::WrongRentRecipient);
        draft.close(rent_recipient(recipient, accounts.account.as_ref()))?;
    }
    if args.paused == Some(true) {
        stop_charge(&accounts.account, &accounts.token_account, &accounts.token_program)?;
    }
    emit!(PolicyChanged { account: next.account, version: next.version, paused: next.paused != 0 });
    Ok(())
}

/// The draft's two lists, if the arguments ask for one: complete, for this version, and what its hash promised.
fn staged_lists(accounts: &SetPolicy, args: &SetPolicyArgs, version: u64) -> Result<Option<(Vec<Entry>, Vec<Entry>)>> {
    require!(args.is_staged() == accounts.draft.is_some(), PolicyError::DraftMissing);
    let Some(draft) = &accounts.draft else { return Ok(None) };
    require!(version.checked_add(1) == Some(draft.target_version), PolicyError::WrongDraft);
    let info = draft.to_account_info();
    let data = info.try_borrow_data()?;
    let content = &data[PolicyDraft::HEADER..];
    require!(hash(content).to_bytes() == draft.content_hash, PolicyError::DraftHashMismatch);
    let entries: Vec<Entry> =
        content.chunks_exact(ENTRY_BYTES).map(|chunk| chunk.try_into().unwrap_or_default()).collect();
    let (first, second) = entries.split_at(draft.counterparty_count.into());
    Ok(Some((first.to_vec(), second.to_vec())))
}

fn amount(current: u64, change: AmountChange) -> u64 {
    match change {
        AmountChange::Keep => current,
        AmountChange::Clear => NO_LIMIT,
        AmountChange::Set { amount } => amount,
    }
}

fn changed(
    current: Option<&[EntryWords]>,
    change: ListChange,
    staged: Option<&Vec<Entry>>,
) -> Result<Option<Vec<Entry>>> {
    Ok(match change {
        ListChange::Keep => current.map(|entries| bytemuck::cast_slice(entries).to_vec()),
        ListChange::Clear => None,
        ListChange::Set { entries } => Some(entries),
        ListChange::Staged => Some(staged.ok_or(PolicyError::DraftMissing)?.clone()),
    })
}

fn count(list: &Option<Vec<Entry>>, most: u16, too_many: PolicyError) -> Result<u8> {
    let length = list.as_ref().map_or(0, Vec::len);
    if length > most.into() {
        return Err(too_many.into());
    }
    Ok(length as u8) // at most 128
}

/// Rent for just what the policy holds: the payer adds what is missing, the creator gets what is left over. A creator who has
/// nothing may not be given less than the rent of an empty account, and one that has become a program nothing at all: then the
/// policy keeps it, so that no wallet but the payer's can stand in the way of a tighter policy.
fn resize<'info>(accounts: &SetPolicy<'info>, policy: &AccountInfo<'info>, space: usize) -> Result<()> {
    if space == policy.data_len() {
        return Ok(());
    }
    let rent = Rent::get()?;
    let needed = rent.minimum_balance(space);
    let held = policy.lamports();
    let recipient: &AccountInfo = accounts.rent_recipient.as_ref();
    if needed > held {
        system_program::transfer(
            CpiContext::new(
                accounts.system_program.key(),
                system_program::Transfer { from: accounts.payer.to_account_info(), to: policy.clone() },
            ),
            needed - held,
        )?;
    } else if !recipient.executable
        && recipient.lamports().saturating_add(held - needed) >= rent.minimum_balance(recipient.data_len())
    {
        policy.sub_lamports(held - needed)?;
        recipient.add_lamports(held - needed)?;
    }
    policy.resize(space)?;
    Ok(())
}
