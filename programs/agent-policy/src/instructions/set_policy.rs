//! Changes the named fields of a policy, provided that it still has the version that the caller read.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::*,
    errors::PolicyError,
    events::PolicyChanged,
    shared::{
        charge::stop_charge,
        list_change::{ListChange, NewLists},
        policy_owner::{create_policy, max_counterparties_of, PolicyOwner},
        rent::{pay_rent, rent_recipient},
    },
    state::{Fleet, Policy, PolicyDraft},
};

/// Change of a limit.
#[derive(AnchorSerialize, AnchorDeserialize, PartialEq, Eq)]
pub enum AmountChange {
    /// Unchanged.
    Keep,
    /// No limit.
    Clear,
    /// The limit in micro-USDC.
    Set { amount: u64 },
}

/// Change of a time.
#[derive(AnchorSerialize, AnchorDeserialize, PartialEq, Eq)]
pub enum TimeChange {
    /// Unchanged.
    Keep,
    /// No time.
    Clear,
    /// The time in unix seconds.
    Set { unix_seconds: u64 },
}

#[derive(AnchorSerialize, AnchorDeserialize, PartialEq, Eq)]
pub struct SetPolicyArgs {
    /// The version that the caller read. May be None only if nothing but `paused: true` is set.
    pub expected_version: Option<u64>,
    /// Maximum of one transfer or charge, micro-USDC.
    pub max_single_transfer: AmountChange,
    /// Maximum in any 24 hours, micro-USDC.
    pub max_daily_spend: AmountChange,
    /// Maximum in any 30 days, micro-USDC.
    pub max_monthly_spend: AmountChange,
    /// Maximum since the account was created, micro-USDC.
    pub max_lifetime_spend: AmountChange,
    /// Maximum of one session's cap or one purse, micro-USDC.
    pub max_session_cap: AmountChange,
    /// Amount from which on the operator must sign, micro-USDC.
    pub escalation_threshold: AmountChange,
    /// What may leave in 24 hours, with what is reserved, before the operator must sign, micro-USDC.
    pub approval_above_daily_sum: AmountChange,
    /// Time from which on nothing is spent.
    pub valid_until: TimeChange,
    /// Token accounts, or their owners, that may be paid.
    pub allowed_counterparties: ListChange,
    /// Categories that may be used.
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
                max_monthly_spend: AmountChange::Keep,
                max_lifetime_spend: AmountChange::Keep,
                max_session_cap: AmountChange::Keep,
                escalation_threshold: AmountChange::Keep,
                approval_above_daily_sum: AmountChange::Keep,
                valid_until: TimeChange::Keep,
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
    /// CHECK: the `AgentAccount` or the `Fleet` that the policy is of; `validate` checks it.
    #[account(mut, owner = crate::ID)]
    pub owner: UncheckedAccount<'info>,
    /// CHECK: the policy, which is created here for a member that has none; `validate` checks it.
    #[account(mut)]
    pub policy: UncheckedAccount<'info>,
    /// The operator; to pause a fleet its guardian, too.
    pub operator: Signer<'info>,
    /// Pays the rent if the policy grows.
    #[account(mut)]
    pub payer: Signer<'info>,
    /// CHECK: the owner's creator, who gets the rent if the policy shrinks; not needed in a pause, which then waits for none of its transactions.
    #[account(mut)]
    pub rent_recipient: Option<UncheckedAccount<'info>>,
    /// The draft with the staged lists; closed afterwards.
    #[account(mut, has_one = owner @ PolicyError::WrongDraft)]
    pub draft: Option<Account<'info, PolicyDraft>>,
    /// CHECK: the key that paid for the draft; checked in the handler, because Anchor's `close` does not accept an optional pair.
    #[account(mut)]
    pub draft_rent_recipient: Option<UncheckedAccount<'info>>,
    pub system_program: Program<'info, System>,
    /// CHECK: the account's token account; required to pause while a charge is open.
    #[account(mut)]
    pub token_account: Option<UncheckedAccount<'info>>,
    /// Required to pause while a charge is open.
    pub token_program: Option<Program<'info, Token>>,
    /// The fleet of a member.
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl<'info> SetPolicy<'info> {
    /// Checks who signs and the version. Returns the owner and its current policy; None for a member without one.
    fn validate(&'info self, args: &SetPolicyArgs) -> Result<(PolicyOwner<'info>, Option<Policy>)> {
        let owner = PolicyOwner::load(&self.owner)?;
        let is_operator = self.operator.key() == owner.operator(&self.fleet)?;
        let is_guardian = args.is_pause_alone() && owner.is_guardian(self.operator.key)?;
        require!(is_operator || is_guardian, PolicyError::WrongOperator);
        if let Some(recipient) = &self.rent_recipient {
            require_keys_eq!(owner.creator()?, recipient.key(), PolicyError::WrongRentRecipient);
        }
        let current = self.current()?;
        match args.expected_version {
            Some(expected) => {
                let version = current.as_ref().map_or(0, |policy| policy.version);
                require!(expected == version, PolicyError::PolicyVersionMismatch);
            }
            None => require!(args.is_pause_alone(), PolicyError::PolicyVersionRequired),
        }
        Ok((owner, current))
    }

    fn current(&'info self) -> Result<Option<Policy>> {
        if *self.policy.owner == System::id() {
            return Ok(None);
        }
        let policy = AccountLoader::<Policy>::try_from(self.policy.as_ref())?;
        let policy = *policy.load()?;
        require!(policy.layout_version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
        require_keys_eq!(policy.owner, self.owner.key(), PolicyError::WrongPolicy);
        Ok(Some(policy))
    }
}

/// A member without a policy of its own gets one. Errors: `WrongOperator`, `PolicyVersionMismatch`, `PolicyVersionRequired`,
/// `TooManyCounterparties`, `TooManyCategories`, `WrongRentRecipient`, those of the draft, and `ChargeOpen` if a pause lacks the accounts to
/// finish the open charge.
pub fn set_policy<'info>(ctx: Context<'info, SetPolicy<'info>>, args: SetPolicyArgs) -> Result<()> {
    let accounts: &'info SetPolicy = ctx.accounts;
    let (owner, existing) = accounts.validate(&args)?;
    let current =
        existing.unwrap_or_else(|| Policy { version: 0, ..Policy::without_limits(accounts.owner.key(), 0, 0) });
    let next = change(accounts, &owner, existing.is_some(), &current, &args)?;
    if let Some(draft) = &accounts.draft {
        let recipient = accounts.draft_rent_recipient.as_ref().ok_or(PolicyError::WrongRentRecipient)?;
        require_keys_eq!(recipient.key(), draft.rent_payer, PolicyError::WrongRentRecipient);
        draft.close(rent_recipient(recipient, accounts.owner.as_ref()))?;
    }
    if let (PolicyOwner::Account(account), Some(true)) = (&owner, args.paused) {
        stop_charge(account, &accounts.fleet, &accounts.token_account, &accounts.token_program)?;
    }
    emit!(PolicyChanged { owner: next.owner, version: next.version, paused: next.paused != 0 });
    Ok(())
}

/// Writes the policy after the change, lists included. Returns it.
fn change(
    accounts: &SetPolicy,
    owner: &PolicyOwner,
    exists: bool,
    current: &Policy,
    args: &SetPolicyArgs,
) -> Result<Policy> {
    let info = accounts.policy.as_ref();
    let draft_info = accounts.draft.as_ref().map(|draft| draft.to_account_info());
    let draft_data = draft_info.as_ref().map(|draft| draft.try_borrow_data()).transpose()?;
    let draft = staged(accounts, args, current.version)?.zip(draft_data.as_deref().map(|data| &**data));
    let lists = NewLists::of((&args.allowed_counterparties, &args.categories), draft)?;
    let next = changed(current, args, lists.counts(current, max_counterparties_of(&accounts.owner)?)?)?;

    let (counterparties, categories) = next.entries();
    let space = Policy::space(counterparties + categories);
    let next = if exists { next } else { create(accounts, owner, next, space)? };
    if space > info.data_len() {
        pay_rent(&accounts.payer, info, space)?;
        info.resize(space)?;
    }
    next.store(info)?;
    lists.write(&mut info.try_borrow_mut_data()?, current, &next)?;
    if space < info.data_len() {
        let recipient = accounts.rent_recipient.as_ref().ok_or(PolicyError::WrongRentRecipient)?;
        shrink(info, recipient, space)?;
    }
    Ok(next)
}

/// Returns the draft, if the arguments refer to it. Errors: `DraftMissing`, `WrongDraft` for another version.
fn staged<'a>(accounts: &'a SetPolicy, args: &SetPolicyArgs, version: u64) -> Result<Option<&'a PolicyDraft>> {
    require!(args.is_staged() == accounts.draft.is_some(), PolicyError::DraftMissing);
    let Some(draft) = &accounts.draft else { return Ok(None) };
    require!(version.checked_add(1) == Some(draft.target_version), PolicyError::WrongDraft);
    Ok(Some(draft))
}

/// Returns the fields after the change; `counts` are the numbers of counterparties and of categories.
fn changed(current: &Policy, args: &SetPolicyArgs, counts: (u16, u16)) -> Result<Policy> {
    let (counterparty_count, category_count) = counts;
    Ok(Policy {
        version: current.version.checked_add(1).ok_or(PolicyError::Overflow)?,
        updated_at: Clock::get()?.unix_timestamp,
        max_single_transfer: changed_limit(current.max_single_transfer, &args.max_single_transfer),
        max_daily_spend: changed_limit(current.max_daily_spend, &args.max_daily_spend),
        max_monthly_spend: changed_limit(current.max_monthly_spend, &args.max_monthly_spend),
        max_lifetime_spend: changed_limit(current.max_lifetime_spend, &args.max_lifetime_spend),
        max_session_cap: changed_limit(current.max_session_cap, &args.max_session_cap),
        escalation_threshold: changed_limit(current.escalation_threshold, &args.escalation_threshold),
        approval_above_daily_sum: changed_limit(current.approval_above_daily_sum, &args.approval_above_daily_sum),
        valid_until: match args.valid_until {
            TimeChange::Keep => current.valid_until,
            TimeChange::Clear => NO_LIMIT,
            TimeChange::Set { unix_seconds } => unix_seconds,
        },
        require_memo: args.require_memo.map_or(current.require_memo, u8::from),
        paused: args.paused.map_or(current.paused, u8::from),
        counterparty_count,
        category_count,
        ..*current
    })
}

/// Creates the policy of a member that has none. Returns it with its bump.
fn create(accounts: &SetPolicy, owner: &PolicyOwner, policy: Policy, space: usize) -> Result<Policy> {
    let PolicyOwner::Account(account) = owner else { return err!(PolicyError::WrongPolicy) };
    let bump = create_policy(&accounts.policy, &accounts.payer, &policy.owner, space)?;
    account.load_mut()?.has_policy = 1;
    Ok(Policy { bump, ..policy })
}

/// Returns the limit after the change.
pub(super) fn changed_limit(current: u64, change: &AmountChange) -> u64 {
    match change {
        AmountChange::Keep => current,
        AmountChange::Clear => NO_LIMIT,
        AmountChange::Set { amount } => *amount,
    }
}

/// Shrinks the policy to `space` bytes. The creator receives surplus rent. The policy keeps it if the creator's account would stay below the
/// rent minimum or has become a program, so that the creator cannot block a stricter policy.
fn shrink<'info>(policy: &AccountInfo<'info>, creator: &AccountInfo<'info>, space: usize) -> Result<()> {
    let rent = Rent::get()?;
    let surplus = policy.lamports().saturating_sub(rent.minimum_balance(space));
    let received = creator.lamports().saturating_add(surplus);
    if !creator.executable && received >= rent.minimum_balance(creator.data_len()) {
        policy.sub_lamports(surplus)?;
        creator.add_lamports(surplus)?;
    }
    Ok(policy.resize(space)?)
}
