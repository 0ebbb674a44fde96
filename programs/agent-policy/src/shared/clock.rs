//! The chain's clock.
use anchor_lang::prelude::*;

use crate::errors::PolicyError;

/// Returns the clock's time in unix seconds. Error: `ClockInvalid` before 1970.
pub fn unix_now(clock: &Clock) -> Result<u64> {
    u64::try_from(clock.unix_timestamp).map_err(|_| error!(PolicyError::ClockInvalid))
}
