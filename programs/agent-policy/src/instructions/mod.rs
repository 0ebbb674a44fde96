//! One file per instruction: arguments, accounts, handler.
pub mod close_account;
pub mod close_policy_draft;
pub mod create_account;
pub mod create_policy_draft;
pub mod rotate_authority;
pub mod set_operator;
pub mod set_policy;
pub mod spending;
pub mod transfer;
pub mod write_policy_draft;

pub use close_account::*;
pub use close_policy_draft::*;
pub use create_account::*;
pub use create_policy_draft::*;
pub use rotate_authority::*;
pub use set_operator::*;
pub use set_policy::*;
pub use spending::*;
pub use transfer::*;
pub use write_policy_draft::*;

use anchor_lang::prelude::*;

use crate::errors::PolicyError;

/// Unix seconds by the chain's clock.
fn unix_now(clock: &Clock) -> Result<u64> {
    u64::try_from(clock.unix_timestamp).map_err(|_| error!(PolicyError::ClockInvalid))
}
