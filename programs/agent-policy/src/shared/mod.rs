//! What several instructions share.
pub mod acceptance;
pub mod charge;
pub mod clock;
pub mod controller;
pub mod ed25519;
pub mod event_cpi;
pub mod list_change;
pub mod pda;
pub mod policy_check;
pub mod policy_owner;
pub mod rent;
pub mod spend_accounts;
pub mod token_transfer;
pub mod token_view;
pub mod voucher;
