//! A budget of tokens: the tokens that may be used, and how many are left.

/// Tokens that may be used, less a reserve and a margin. It never allocates more than that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenBudget {
    /// Tokens in total.
    total: u64,
    /// Kept free for an answer.
    reserved: u64,
    /// Share of the rest left unused against counting errors, 0 to 1.
    margin: f64,
    used: u64,
}

impl TokenBudget {
    /// A budget of `total` tokens without reserve and margin.
    #[must_use]
    pub fn new(total: u64) -> Self {
        Self { total, reserved: 0, margin: 0.0, used: 0 }
    }

    /// The same budget with `reserved` tokens kept free.
    #[must_use]
    pub fn reserving(self, reserved: u64) -> Self {
        Self { reserved, ..self }
    }

    /// The same budget with the share `margin` of the unreserved tokens left unused; clamped to 0 to 1, NaN counts as 0.
    #[must_use]
    pub fn with_margin(self, margin: f64) -> Self {
        Self { margin: if margin.is_nan() { 0.0 } else { margin.clamp(0.0, 1.0) }, ..self }
    }

    /// Tokens that may be used in total: `(total - reserved) × (1 - margin)`, rounded down.
    #[must_use]
    pub fn effective(&self) -> u64 {
        let rest = self.total.saturating_sub(self.reserved);
        if self.margin == 0.0 {
            return rest;
        }
        // Token counts are far below 2^53, where f64 stops being exact.
        (rest as f64 * (1.0 - self.margin)) as u64
    }

    /// Tokens not yet used.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.effective().saturating_sub(self.used)
    }

    /// Whether `tokens` more tokens may be used.
    #[must_use]
    pub fn can_fit(&self, tokens: u64) -> bool {
        tokens <= self.left()
    }

    /// Uses `tokens` tokens if they fit, and returns whether they did. Otherwise nothing is used.
    #[must_use]
    pub fn allocate(&mut self, tokens: u64) -> bool {
        let fits = self.can_fit(tokens);
        if fits {
            self.used += tokens;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effective_budget_is_the_formula_of_the_specification() {
        for (total, reserved, margin, expected) in [
            (200_000, 64_000, 0.15, 115_600),
            (1_000_000, 0, 0.15, 850_000),
            (1_000, 2_000, 0.15, 0),
            (1_000, 0, 1.0, 0),
            (1_000, 0, 7.0, 0),
            (1_000, 0, f64::NAN, 1_000),
            (u64::MAX, 0, 0.0, u64::MAX),
        ] {
            let budget = TokenBudget::new(total).reserving(reserved).with_margin(margin);
            assert_eq!(budget.effective(), expected, "{budget:?}");
        }
    }

    #[test]
    fn what_does_not_fit_uses_nothing() {
        let mut budget = TokenBudget::new(100);
        assert!(budget.allocate(60) && !budget.allocate(41) && budget.can_fit(40));
        assert!(budget.allocate(40) && budget.allocate(0) && !budget.allocate(1));
        assert_eq!(budget.left(), 0);
        assert!(!TokenBudget::new(u64::MAX - 1).allocate(u64::MAX));
    }
}
