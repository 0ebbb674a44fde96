//! The program's accounts and their parts, one file each. AgentAccount, ChannelPurse, Fleet and Session have an `invariant()`, which every instruction that
//! wrote one calls at its end.
pub mod agent_account;
pub mod channel_purse;
pub mod closed_account;
pub mod fleet;
pub mod policy;
pub mod policy_draft;
pub mod replay_window;
pub mod session;
pub mod spend_window;
pub mod tally;

pub use agent_account::*;
pub use channel_purse::*;
pub use closed_account::*;
pub use fleet::*;
pub use policy::*;
pub use policy_draft::*;
pub use replay_window::*;
pub use session::*;
pub use spend_window::*;
pub use tally::*;

#[cfg(test)]
mod properties;
