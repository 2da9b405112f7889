//! The limits of a model, in tokens.

/// Whether a model's window holds the answer too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum BudgetingMode {
    /// The window is for input alone.
    InputOnly,
    /// Input and output share the window; the reserve is subtracted first.
    Combined,
}

/// The limits of a model, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// The window.
    pub context_window: u64,
    /// Longest answer of the model.
    pub max_output_tokens: u64,
    /// Whether the window holds the answer too.
    pub budgeting_mode: BudgetingMode,
    /// Tokens reserved for the answer if it shares the window.
    pub output_reserved: u64,
}

impl ModelLimits {
    pub(crate) const fn with_combined_window(context_window: u64, output: u64) -> Self {
        Self {
            context_window,
            max_output_tokens: output,
            budgeting_mode: BudgetingMode::Combined,
            output_reserved: output,
        }
    }

    pub(crate) const fn input_only(context_window: u64, output: u64) -> Self {
        Self { context_window, max_output_tokens: output, budgeting_mode: BudgetingMode::InputOnly, output_reserved: 0 }
    }

    /// Tokens available for the input of a request.
    #[must_use]
    pub fn input_budget(&self) -> u64 {
        match self.budgeting_mode {
            BudgetingMode::Combined => self.context_window.saturating_sub(self.output_reserved),
            BudgetingMode::InputOnly => self.context_window,
        }
    }
}
