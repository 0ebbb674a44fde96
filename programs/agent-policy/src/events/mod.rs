//! The program's events, one per fact.
mod account;
mod channel;
mod charge;
mod fleet;
mod policy;
mod session;
mod transfer;

pub use account::*;
pub use channel::*;
pub use charge::*;
pub use fleet::*;
pub use policy::*;
pub use session::*;
pub use transfer::*;
