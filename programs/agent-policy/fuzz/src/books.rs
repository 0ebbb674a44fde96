//! Amounts that left an account or a fleet, and when, as a plain list: the truth that the program's windows are compared with.
pub const DAY: i64 = 86_400;
pub const MONTH: i64 = 30 * DAY;

#[derive(Clone, Default)]
pub struct Book {
    left: Vec<(i64, u64)>,
}

impl Book {
    /// Notes `amount` micro-USDC that left at `now` (unix seconds).
    pub fn record(&mut self, now: i64, amount: u64) {
        if amount > 0 {
            self.left.push((now, amount));
        }
    }

    /// Micro-USDC that left in the `seconds` up to `now`.
    pub fn left_in(&self, seconds: i64, now: i64) -> u64 {
        self.left.iter().filter(|(time, _)| *time >= now - seconds).map(|(_, amount)| amount).sum()
    }

    /// Micro-USDC that ever left.
    pub fn left(&self) -> u64 {
        self.left.iter().map(|(_, amount)| amount).sum()
    }
}
