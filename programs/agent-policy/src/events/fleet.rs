//! Fleets: creation, limits, members and end.
use anchor_lang::prelude::*;

/// A fleet was created.
#[event]
pub struct FleetCreated {
    /// The fleet.
    pub fleet: Pubkey,
    /// Its operator.
    pub operator: Pubkey,
}

/// The limits of a fleet were changed.
#[event]
pub struct FleetLimitsChanged {
    /// The fleet.
    pub fleet: Pubkey,
    /// The new version.
    pub version: u64,
}

/// An account joined a fleet.
#[event]
pub struct FleetJoined {
    /// The fleet.
    pub fleet: Pubkey,
    /// The account.
    pub account: Pubkey,
}

/// An account left its fleet.
#[event]
pub struct FleetLeft {
    /// The fleet.
    pub fleet: Pubkey,
    /// The account.
    pub account: Pubkey,
}

/// The operator of a fleet and of all its members was replaced.
#[event]
pub struct FleetOperatorChanged {
    /// The fleet.
    pub fleet: Pubkey,
    /// The new operator.
    pub operator: Pubkey,
}

/// A fleet was closed permanently.
#[event]
pub struct FleetClosed {
    /// The fleet.
    pub fleet: Pubkey,
}
