//! The program's errors. Append only: the codes are part of the interface.
use anchor_lang::prelude::*;

/// The first eight are policy rules, in the order in which they are checked; `MaxSessionCap`, added later, is checked right after
/// `MaxSingleTransfer`. Their snake_case names are the API's rule names; `Fleet` and `FleetLimits` before a rule say whose it is.
#[error_code]
pub enum PolicyError {
    #[msg("The account is paused")]
    Paused,
    #[msg("The amount is above max_single_transfer")]
    MaxSingleTransfer,
    #[msg("The recipient is not among allowed_counterparties")]
    AllowedCounterparties,
    #[msg("The category is missing or not among categories")]
    Categories,
    #[msg("A memo is required")]
    RequireMemo,
    #[msg("The amount does not fit into max_daily_spend")]
    MaxDailySpend,
    #[msg("The account holds less than the amount")]
    InsufficientBalance,
    #[msg("The amount reaches escalation_threshold and the operator has not signed")]
    EscalationThreshold,

    #[msg("This sequence number was spent before")]
    AlreadyExecuted,
    #[msg("This sequence number is below the replay window")]
    SeqTooOld,
    #[msg("This sequence number is too far above the highest spent one")]
    SeqTooFar,

    #[msg("The signer is not this account's authority")]
    WrongAuthority,
    #[msg("The signer is not this account's operator")]
    WrongOperator,
    #[msg("Operator, authority and creator must be three different keys")]
    KeysNotDistinct,
    #[msg("The mint is not this account's mint")]
    WrongMint,
    #[msg("The token account is not this account's token account")]
    WrongTokenAccount,
    #[msg("The policy belongs to another account")]
    WrongPolicy,
    #[msg("The rent must go to the key that paid it")]
    WrongRentRecipient,

    #[msg("The amount must be above zero")]
    AmountZero,
    #[msg("The destination is no token account of this mint")]
    InvalidDestination,
    #[msg("The destination is frozen")]
    DestinationFrozen,
    #[msg("The destination is the source")]
    DestinationIsSource,
    #[msg("The source token account is frozen or not initialised")]
    SourceFrozen,
    #[msg("The source token account has a delegate or a close authority")]
    SourceDelegated,
    #[msg("The token program did not move exactly the amount")]
    UnexpectedBalance,

    #[msg("The policy has another version by now")]
    PolicyVersionMismatch,
    #[msg("Only pausing alone may leave out the expected version")]
    PolicyVersionRequired,
    #[msg("The policy of an account lists at most 128 counterparties, that of a fleet 1,024")]
    TooManyCounterparties,
    #[msg("A policy lists at most 32 categories")]
    TooManyCategories,
    #[msg("A staged list needs its draft, and a draft needs a staged list")]
    DraftMissing,
    #[msg("The draft is for another account or version")]
    WrongDraft,
    #[msg("The draft's content is not what its hash promised")]
    DraftHashMismatch,
    #[msg("The write lies outside of the draft")]
    DraftOutOfBounds,
    #[msg("Only the operator may close this draft now")]
    DraftInUse,

    #[msg("The account still holds money, or money is reserved, or a session is open")]
    AccountInUse,
    #[msg("A sum does not fit into 64 bits")]
    Overflow,
    #[msg("The chain's clock is before 1970")]
    ClockInvalid,

    #[msg("At most 64 sessions are open at a time")]
    TooManySessions,
    #[msg("A session is open for 60 seconds to 30 days, and its grace period lasts at most a day")]
    SessionDurationInvalid,
    #[msg("The session belongs to another account")]
    WrongSession,
    #[msg("The escrow is not this session's")]
    WrongEscrow,
    #[msg("The payee, or its token account, is not this session's")]
    WrongPayee,
    #[msg("The session is closing or has ended")]
    SessionNotOpen,
    #[msg("The session has expired")]
    SessionExpired,
    #[msg("Only the account's authority or operator may close this session now")]
    SessionInUse,
    #[msg("The escrow is frozen")]
    EscrowFrozen,
    #[msg("The payee's token account cannot receive")]
    PayeeBlocked,
    #[msg("No ed25519 instruction stands immediately before")]
    VoucherMissing,
    #[msg("The ed25519 instruction is not exactly one signature of 50 bytes in the canonical layout")]
    VoucherMalformed,
    #[msg("The voucher is signed by another key than the session's")]
    VoucherWrongKey,
    #[msg("The voucher is for another session, or of another kind")]
    VoucherWrongSession,
    #[msg("The voucher has expired")]
    VoucherExpired,
    #[msg("The voucher is above the session's cap")]
    VoucherAboveCap,

    #[msg("A charge is open")]
    ChargeOpen,
    #[msg("No charge with this number is open")]
    ChargeNotOpen,
    #[msg("Only the account's authority or operator may finish this charge before its deadline")]
    ChargeInUse,
    #[msg("A charge may be used for 1 to 3,600 seconds")]
    ChargeDurationInvalid,
    #[msg("The delegate was used for the charge before")]
    DelegateUsed,
    #[msg("An account lies at the address already")]
    AddressTaken,

    #[msg("The session's cap is above max_session_cap")]
    MaxSessionCap,
    #[msg("The account has a layout version that this program does not read")]
    UnsupportedVersion,
    #[msg("The session owes its payee nothing")]
    SessionNotOwed,
    #[msg("What is owed may be written off 90 days after the session ended")]
    ClaimNotExpired,
    #[msg("The payee can receive: settle the session instead")]
    PayeeCanReceive,
    #[msg("The account's new state would break its invariant")]
    InvariantViolated,
    #[msg("The new operator neither signs nor has accepted the account")]
    NotAccepted,
    #[msg("The voucher key is a point of small order, whose signatures the runtime rejects")]
    VoucherKeyInvalid,

    #[msg("The policy is no longer valid, or the session or charge would outlive it")]
    ValidUntil,
    #[msg("The amount does not fit into max_monthly_spend")]
    MaxMonthlySpend,
    #[msg("The amount does not fit into max_lifetime_spend")]
    MaxLifetimeSpend,
    #[msg("What is spent in a day rises above approval_above_daily_sum and the operator has not signed")]
    ApprovalAboveDailySum,

    #[msg("The fleet is paused")]
    FleetPaused,
    #[msg("The fleet's policy is no longer valid, or the session or charge would outlive it")]
    FleetValidUntil,
    #[msg("The amount is above the fleet's max_single_transfer")]
    FleetMaxSingleTransfer,
    #[msg("The session's cap is above the fleet's max_session_cap")]
    FleetMaxSessionCap,
    #[msg("The recipient is not among the fleet's allowed_counterparties")]
    FleetAllowedCounterparties,
    #[msg("The category is missing or not among the fleet's categories")]
    FleetCategories,
    #[msg("The fleet requires a memo")]
    FleetRequireMemo,
    #[msg("The amount does not fit into the max_daily_spend of the fleet's policy")]
    FleetMaxDailySpend,
    #[msg("The amount does not fit into the max_monthly_spend of the fleet's policy")]
    FleetMaxMonthlySpend,
    #[msg("The amount does not fit into the max_lifetime_spend of the fleet's policy")]
    FleetMaxLifetimeSpend,
    #[msg("The amount reaches the fleet's escalation_threshold and the operator has not signed")]
    FleetEscalationThreshold,
    #[msg("What is spent in a day rises above the fleet's approval_above_daily_sum and the operator has not signed")]
    FleetApprovalAboveDailySum,
    #[msg("The amount does not fit into the max_daily_spend of all members")]
    FleetLimitsMaxDailySpend,
    #[msg("The amount does not fit into the max_monthly_spend of all members")]
    FleetLimitsMaxMonthlySpend,
    #[msg("The amount does not fit into the max_lifetime_spend of all members")]
    FleetLimitsMaxLifetimeSpend,

    #[msg("The account belongs to a fleet, which must be named")]
    FleetMissing,
    #[msg("The account belongs to another fleet, or to none")]
    WrongFleet,
    #[msg("The account belongs to a fleet: its operator is the fleet's")]
    InFleet,
    #[msg("The fleet still has members")]
    FleetInUse,
    #[msg("Money is reserved by an open session or charge")]
    AmountsReserved,
    #[msg("The limits have another version by now")]
    LimitsVersionMismatch,

    #[msg("A channel purse may be used for 1 to 691,200 seconds")]
    ChannelDurationInvalid,
    #[msg("The token account is not the key's own, or the purse may not sweep and close it")]
    WrongKeyTokenAccount,
    #[msg("The channel purse belongs to another account or number")]
    WrongChannelPurse,
    #[msg("The channel purse was finished before")]
    ChannelNotOpen,
    /// Unused. It keeps the codes after it, and earlier versions of the service do not start on a program that lacks it.
    #[msg("The channel purse must be finished first")]
    ChannelOpen,
    #[msg("Only the account's authority or operator may do this with the channel purse now")]
    ChannelInUse,
}

/// Whose rule it is.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The account's own policy.
    Account = 0,
    /// The policy of its fleet.
    Fleet = 1,
    /// The limits of all members of its fleet together.
    FleetLimits = 2,
}

impl PolicyError {
    /// Returns the error by which a rule, which is one of an account's policy, is reported in a scope.
    pub fn in_scope(self, scope: Scope) -> Self {
        match (scope, self) {
            (Scope::Account, rule) => rule,
            (Scope::Fleet, Self::Paused) => Self::FleetPaused,
            (Scope::Fleet, Self::ValidUntil) => Self::FleetValidUntil,
            (Scope::Fleet, Self::MaxSingleTransfer) => Self::FleetMaxSingleTransfer,
            (Scope::Fleet, Self::MaxSessionCap) => Self::FleetMaxSessionCap,
            (Scope::Fleet, Self::AllowedCounterparties) => Self::FleetAllowedCounterparties,
            (Scope::Fleet, Self::Categories) => Self::FleetCategories,
            (Scope::Fleet, Self::RequireMemo) => Self::FleetRequireMemo,
            (Scope::Fleet, Self::MaxDailySpend) => Self::FleetMaxDailySpend,
            (Scope::Fleet, Self::MaxMonthlySpend) => Self::FleetMaxMonthlySpend,
            (Scope::Fleet, Self::MaxLifetimeSpend) => Self::FleetMaxLifetimeSpend,
            (Scope::Fleet, Self::EscalationThreshold) => Self::FleetEscalationThreshold,
            (Scope::Fleet, Self::ApprovalAboveDailySum) => Self::FleetApprovalAboveDailySum,
            (Scope::FleetLimits, Self::MaxDailySpend) => Self::FleetLimitsMaxDailySpend,
            (Scope::FleetLimits, Self::MaxMonthlySpend) => Self::FleetLimitsMaxMonthlySpend,
            (Scope::FleetLimits, Self::MaxLifetimeSpend) => Self::FleetLimitsMaxLifetimeSpend,
            (_, rule) => rule,
        }
    }
}
