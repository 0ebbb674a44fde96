//! The program's accounts, one file each, and the pure rules on them.
pub mod agent_account;
pub mod closed_account;
pub mod policy;
pub mod policy_draft;
pub mod replay_window;
pub mod rules;
pub mod session;
pub mod spend_window;
pub mod token_view;
pub mod voucher;

pub use agent_account::*;
pub use closed_account::*;
pub use policy::*;
pub use policy_draft::*;
pub use replay_window::*;
pub use rules::*;
pub use session::*;
pub use spend_window::*;
pub use token_view::*;
pub use voucher::*;
