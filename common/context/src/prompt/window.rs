//! How the room for a prompt is computed from a window, and which key to change for more room.

use std::fmt;

/// The deductions from a window that leave the room for a prompt, in tokens. Each has a configuration key.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WindowSum {
    /// The window.
    pub window: u64,
    /// Reserved for the answer.
    pub reserve: u64,
    /// Used by the program around the model.
    pub overhead: u64,
    /// Share of the rest that is left unused.
    pub safety_margin: f64,
    /// Limit on prompt and answer together, if set.
    pub threshold: Option<u64>,
}

impl WindowSum {
    /// What to change for more prompt room with `provider`: the key with the largest deduction, else the window.
    #[must_use]
    pub fn remedy(&self, provider: &str) -> String {
        let table = format!("[model_context_overrides.\"{provider}\"]");
        let free = self.window.saturating_sub(self.reserve).saturating_sub(self.overhead);
        if self.threshold.is_some_and(|total| total - self.reserve.min(quarter(total)) < free) {
            return "raise auto_compact_threshold".to_owned();
        }
        if self.overhead > self.reserve && self.overhead > quarter(self.window) {
            return format!("lower runtime_overhead, or use a model with a larger window than `{provider}`");
        }
        if self.reserve > quarter(self.window) {
            return format!("lower output_reserved in {table} to at most {}", quarter(self.window));
        }
        format!("raise context_window in {table} if the model supports more, or use a model with a larger window")
    }
}

impl fmt::Display for WindowSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "context_window {} - output_reserved {}", self.window, self.reserve)?;
        if self.overhead > 0 {
            write!(f, " - runtime_overhead {}", self.overhead)?;
        }
        if self.safety_margin > 0.0 {
            write!(f, ", less {:.0} % token_safety_margin", self.safety_margin * 100.0)?;
        }
        self.threshold
            .map_or(Ok(()), |threshold| write!(f, ", prompt and answer at most auto_compact_threshold {threshold}"))
    }
}

/// A quarter of a window: the most that is reserved for the answer by default.
pub(super) fn quarter(window: u64) -> u64 {
    window / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_names_each_share_and_the_remedy_the_largest() {
        let sum = |window, reserve, overhead, threshold| WindowSum {
            window,
            reserve,
            overhead,
            safety_margin: 0.15,
            threshold,
        };
        assert_eq!(
            sum(8_192, 2_048, 60_000, None).to_string(),
            "context_window 8192 - output_reserved 2048 - runtime_overhead 60000, less 15 % token_safety_margin"
        );
        for (sum, key) in [
            (sum(8_192, 2_048, 60_000, None), "lower runtime_overhead"),
            (sum(8_192, 8_000, 0, None), "lower output_reserved in [model_context_overrides.\"a:b\"] to at most 2048"),
            (sum(600, 150, 0, None), "raise context_window in [model_context_overrides.\"a:b\"]"),
            (sum(200_000, 512, 0, Some(1_000)), "raise auto_compact_threshold"),
        ] {
            assert!(sum.remedy("a:b").starts_with(key), "{}", sum.remedy("a:b"));
        }
    }
}
