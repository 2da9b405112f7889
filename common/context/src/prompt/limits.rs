//! Token limits of each model: the catalogue, overrides of it, and the resulting room of a call.

use std::collections::{BTreeMap, BTreeSet};

use precis_text::tokens::{TokenBudget, Tokenizer};
use serde::Serialize;

use super::window::{WindowSum, quarter};
use crate::models::catalogue::{limits_of_tool, served_model};
use crate::models::{BudgetingMode, ModelLimits};

/// Assumed limits of an unknown model. Too low loses content; too high causes a refused call, whose error reports the window. Chosen, not
/// measured.
pub const DEFAULT_LIMITS: ModelLimits = ModelLimits::with_combined_window(128_000, 8_192);

/// Limits of the built-in model. It is free and has no window; the number bounds its input.
pub const LOCAL_LIMITS: ModelLimits = ModelLimits::input_only(1_000_000, 128_000);

/// Name of the built-in model.
pub const LOCAL_MODEL: &str = "local:extractive";

/// A placeholder name whose limits are [`DEFAULT_LIMITS`] and count as known.
const NOBODYS_MODEL: &str = "_default";

/// Configured overrides for one model; unset fields come from the catalogue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LimitOverride {
    /// See [`ModelLimits`].
    pub context_window: Option<u64>,
    /// See [`ModelLimits`].
    pub max_output_tokens: Option<u64>,
    /// See [`ModelLimits`].
    pub budgeting_mode: Option<BudgetingMode>,
    /// See [`ModelLimits`].
    pub output_reserved: Option<u64>,
    /// Its tokenizer, if the one derived from its name is wrong.
    pub tokenizer: Option<Tokenizer>,
}

/// The limits of all models of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limits {
    /// Overrides by `NAME:MODEL`.
    pub overrides: BTreeMap<String, LimitOverride>,
    /// Tokens that the host program adds to each request; not added for [`servers`](Self::servers).
    pub runtime_overhead: u64,
    /// Providers (the part before the colon) that are plain servers or built in, without a program around the model.
    pub servers: BTreeSet<String>,
    /// Share of the input budget left unused, against counting errors; at least 0, below 1.
    pub safety_margin: f64,
    /// Limit on prompt and answer of a call together, if set.
    pub auto_compact_threshold: Option<u64>,
    /// Whether pieces of evidence may be left out; otherwise they are only shortened.
    pub allow_dropping: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            overrides: BTreeMap::new(),
            runtime_overhead: 0,
            servers: BTreeSet::new(),
            safety_margin: DEFAULT_SAFETY_MARGIN,
            auto_compact_threshold: None,
            allow_dropping: true,
        }
    }
}

/// Default share of the input budget left unused, since providers may count differently. Chosen, not measured.
pub const DEFAULT_SAFETY_MARGIN: f64 = 0.15;
/// Most of the effective context for evidence in the analysis, in percent; the rest is for rules, question and earlier context. Chosen,
/// not measured.
pub const ANALYSIS_BUDGET_PERCENT: u64 = 80;
/// Most of the effective context for findings in the synthesis, in percent. Chosen, not measured.
pub const SYNTHESIS_BUDGET_PERCENT: u64 = 85;

/// Room of one call, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Messages and schema together.
    pub input: u64,
    /// The answer.
    pub output: u64,
}

impl Limits {
    /// The limits of `provider` (`NAME:MODEL`, with or without a leading `[cli]`), and whether they are assumed. Looked up in the
    /// overrides, then the catalogue, then [`DEFAULT_LIMITS`]. Unset fields of an override come from the catalogue or the default; an
    /// override with a window counts as known.
    #[must_use]
    pub fn of(&self, provider: &str) -> (ModelLimits, bool) {
        let bare = provider.strip_prefix("[cli]").unwrap_or(provider);
        let row = match bare {
            LOCAL_MODEL => Some(LOCAL_LIMITS),
            NOBODYS_MODEL => Some(DEFAULT_LIMITS),
            _ => limits_of_tool(bare).or_else(|| served_model(provider).map(|row| row.limits)),
        };
        let base = row.unwrap_or(DEFAULT_LIMITS);
        match self.override_of(provider) {
            Some(o) => (o.over(base), row.is_none() && o.context_window.is_none()),
            None => (base, row.is_none()),
        }
    }

    /// The same limits, with the `window` that `provider` has reported if that is smaller than the known one.
    #[must_use]
    pub fn with_window(&self, provider: &str, window: u64) -> Self {
        let mut limits = self.clone();
        let known = self.of(provider).0;
        if window < known.context_window {
            let answer = (window / 4).max(1);
            let named = LimitOverride {
                context_window: Some(window),
                max_output_tokens: Some(known.max_output_tokens.min(answer)),
                output_reserved: Some(known.output_reserved.min(answer)),
                ..self.override_of(provider).copied().unwrap_or_default()
            };
            limits.overrides.insert(provider.to_owned(), named);
        }
        limits
    }

    fn override_of(&self, provider: &str) -> Option<&LimitOverride> {
        let bare = provider.strip_prefix("[cli]").unwrap_or(provider);
        self.overrides.get(provider).or_else(|| self.overrides.get(bare))
    }

    /// The tokenizer of `provider`: from its override, else by the model's name.
    #[must_use]
    pub fn tokenizer(&self, provider: &str) -> Tokenizer {
        let named = self.override_of(provider).and_then(|o| o.tokenizer);
        named.unwrap_or_else(|| Tokenizer::of_model(provider))
    }

    /// Token budget of one phase's material for calls to `provider`: `percent` of the effective context, rounded down.
    #[must_use]
    pub fn phase_budget(&self, provider: &str, percent: u64) -> u64 {
        let context = u128::from(self.effective_context(provider));
        u64::try_from(context * u128::from(percent) / 100).unwrap_or(u64::MAX)
    }

    /// Input tokens of `provider` after overhead and safety margin; the base of phase budgets.
    #[must_use]
    pub fn effective_context(&self, provider: &str) -> u64 {
        self.effective(provider, &self.of(provider).0)
    }

    /// Tokens used by the program around the model of `provider`: [`Limits::runtime_overhead`] for a command-line tool, 0 for a plain
    /// server. A provider of unknown kind counts as a tool, since too little room only loses content while too much fails the call.
    #[must_use]
    pub fn overhead(&self, provider: &str) -> u64 {
        let name = provider.split(':').next().unwrap_or_default();
        if self.servers.contains(name) { 0 } else { self.runtime_overhead }
    }

    fn effective(&self, provider: &str, limits: &ModelLimits) -> u64 {
        let budget = TokenBudget::new(limits.input_budget()).reserving(self.overhead(provider));
        let total = self.auto_compact_threshold.unwrap_or(u64::MAX);
        // Cannot underflow: the answer gets at most a quarter of the threshold.
        budget.with_margin(self.safety_margin).effective().min(total - self.answer_under_threshold(limits))
    }

    /// Tokens of the threshold reserved for the answer, at most a quarter of it; 0 without a threshold.
    fn answer_under_threshold(&self, limits: &ModelLimits) -> u64 {
        self.auto_compact_threshold.map_or(0, |total| longest_answer(limits).min(quarter(total)))
    }

    /// The room of one call to `provider` under `limits` for an answer of `wanted_output` tokens.
    ///
    /// The answer gets the model's reserve, at most the larger of `wanted_output` and [`GENEROUS_OUTPUT`], and at most a quarter of the
    /// threshold. The input gets the effective context, at most what the window leaves after answer and overhead. Both together stay
    /// within the threshold.
    #[must_use]
    pub fn room(&self, provider: &str, limits: &ModelLimits, wanted_output: u64) -> Room {
        let cap = match self.auto_compact_threshold {
            Some(_) => self.answer_under_threshold(limits),
            None => longest_answer(limits),
        };
        let output = cap.min(wanted_output.max(GENEROUS_OUTPUT));
        let beside = match limits.budgeting_mode {
            BudgetingMode::Combined => output,
            BudgetingMode::InputOnly => 0,
        };
        let window = limits.context_window.saturating_sub(beside).saturating_sub(self.overhead(provider));
        Room { input: self.effective(provider, limits).min(window), output }
    }

    /// How the prompt room of a call to `provider` is computed under `limits`.
    #[must_use]
    pub fn sum(&self, provider: &str, limits: &ModelLimits) -> WindowSum {
        WindowSum {
            window: limits.context_window,
            reserve: limits.context_window - limits.input_budget().min(limits.context_window),
            overhead: self.overhead(provider),
            safety_margin: self.safety_margin,
            threshold: self.auto_compact_threshold,
        }
    }
}

/// The longest answer that `limits` allow.
fn longest_answer(limits: &ModelLimits) -> u64 {
    match (limits.budgeting_mode, limits.output_reserved) {
        (BudgetingMode::Combined, 0) => limits.max_output_tokens.min(quarter(limits.context_window)),
        (BudgetingMode::Combined, reserved) => limits.max_output_tokens.min(reserved),
        (BudgetingMode::InputOnly, _) => limits.max_output_tokens,
    }
}

/// Tokens that an answer may always have, so that reasoning models are not cut off. More only if the task needs it, so that a model that
/// never stops does not spend a 128,000-token reserve. Chosen, not measured.
pub const GENEROUS_OUTPUT: u64 = 16_384;

impl LimitOverride {
    /// The override applied to `base`. If window or longest answer is set and the reserve is not, the reserve is the longest answer, at
    /// most a quarter of the window.
    fn over(&self, base: ModelLimits) -> ModelLimits {
        let context_window = self.context_window.unwrap_or(base.context_window);
        let max_output_tokens = self.max_output_tokens.unwrap_or(base.max_output_tokens);
        let budgeting_mode = self.budgeting_mode.unwrap_or(base.budgeting_mode);
        let is_described = self.context_window.is_some() || self.max_output_tokens.is_some();
        let fair = if is_described { max_output_tokens.min(quarter(context_window)) } else { base.output_reserved };
        let output_reserved = self.output_reserved.unwrap_or(fair).min(max_output_tokens);
        ModelLimits { context_window, max_output_tokens, budgeting_mode, output_reserved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, o: LimitOverride) -> Limits {
        Limits { overrides: BTreeMap::from([(name.to_owned(), o)]), ..Limits::default() }
    }

    #[test]
    fn limits_come_from_the_override_then_the_table_then_the_default() {
        let plain = Limits::default();
        assert_eq!(plain.of("claude:sonnet"), (ModelLimits::with_combined_window(200_000, 64_000), false));
        assert_eq!(plain.of("[cli]claude:sonnet"), plain.of("claude:sonnet"));
        assert_eq!(plain.of("gemini:flash").0.budgeting_mode, BudgetingMode::InputOnly);
        assert_eq!(plain.of("local:extractive"), (LOCAL_LIMITS, false));
        assert_eq!(plain.of("house:llama"), (DEFAULT_LIMITS, true));

        let window = LimitOverride { context_window: Some(9_000), ..LimitOverride::default() };
        let (limits, defaulted) = with("claude:sonnet", window).of("claude:sonnet");
        assert_eq!((limits.context_window, limits.max_output_tokens, defaulted), (9_000, 64_000, false));
        assert!(!with("house:llama", window).of("house:llama").1);
        let output = LimitOverride { max_output_tokens: Some(100), ..LimitOverride::default() };
        assert!(with("house:llama", output).of("house:llama").1, "the window is still assumed");
    }

    #[test]
    fn every_model_of_the_specification_has_its_limits() {
        let combined = [
            ("codex:gpt-5.2-codex", 400_000, 128_000),
            ("cursor-agent:gpt-5.2-codex", 400_000, 128_000),
            ("opencode:openai/gpt-5.2-codex", 400_000, 128_000),
            ("codex:gpt-4.1", 1_000_000, 32_000),
            ("cursor-agent:gpt-4.1", 1_000_000, 32_000),
            ("opencode:openai/gpt-4.1", 1_000_000, 32_000),
            ("codex:o3", 200_000, 100_000),
            ("codex:o4-mini", 200_000, 100_000),
            ("opencode:openai/o3", 200_000, 100_000),
            ("opencode:openai/o4-mini", 200_000, 100_000),
            ("claude:opus", 200_000, 64_000),
            ("claude:sonnet", 200_000, 64_000),
            ("claude:haiku", 200_000, 64_000),
        ];
        let input_only = [("gemini:flash", 1_000_000, 32_000), ("gemini:pro", 1_000_000, 64_000)];
        let limits = Limits::default();
        for (name, window, output) in combined {
            assert_eq!(limits.of(name), (ModelLimits::with_combined_window(window, output), false), "{name}");
            assert_eq!(limits.of(name).0.input_budget(), window - output, "{name}");
        }
        for (name, window, output) in input_only {
            assert_eq!(limits.of(name), (ModelLimits::input_only(window, output), false), "{name}");
            assert_eq!(limits.of(name).0.input_budget(), window, "{name}");
        }
        assert_eq!(limits.of("_default"), (ModelLimits::with_combined_window(128_000, 8_192), false));
    }

    #[test]
    fn an_override_takes_what_it_leaves_out_from_the_table() {
        let o = LimitOverride {
            context_window: Some(1_000_000),
            output_reserved: Some(8_192),
            budgeting_mode: Some(BudgetingMode::Combined),
            ..LimitOverride::default()
        };
        let found = with("gemini:flash", o).of("gemini:flash").0;
        let expected = ModelLimits { output_reserved: 8_192, ..ModelLimits::with_combined_window(1_000_000, 32_000) };
        assert_eq!((found, found.input_budget()), (expected, 991_808));
        let tokenizer = Some(Tokenizer::Cl100k);
        let named = with("house:llama", LimitOverride { tokenizer, ..LimitOverride::default() });
        assert_eq!(named.tokenizer("house:llama"), Tokenizer::Cl100k);
        assert_eq!((named.tokenizer("house:b"), named.tokenizer("openai:o3")), (Tokenizer::Estimate, Tokenizer::O200k));
    }

    #[test]
    fn a_phase_gets_its_share_of_the_effective_context() {
        let limits = Limits { runtime_overhead: 60_000, ..Limits::default() };
        assert_eq!(limits.phase_budget("claude:sonnet", ANALYSIS_BUDGET_PERCENT), 51_680);
        assert_eq!(limits.phase_budget("claude:sonnet", SYNTHESIS_BUDGET_PERCENT), 54_910);
    }

    #[test]
    fn the_effective_context_is_the_formula_of_the_specification() {
        let limits = Limits { runtime_overhead: 60_000, ..Limits::default() };
        assert_eq!(limits.effective_context("claude:sonnet"), 64_600);
        let limits = Limits { runtime_overhead: 40_000, ..Limits::default() };
        assert_eq!(limits.effective_context("gemini:pro"), 816_000);
        let limits = Limits { runtime_overhead: 500_000, ..Limits::default() };
        assert_eq!(limits.effective_context("claude:sonnet"), 0);
    }

    #[test]
    fn a_threshold_bounds_prompt_and_answer_together_in_both_modes() {
        let shared = ModelLimits::with_combined_window(200_000, 64_000);
        let apart = ModelLimits { budgeting_mode: BudgetingMode::InputOnly, ..shared };
        for total in [1_000, 5_000, 50_000, 100_000, 1_000_000] {
            for model in [shared, apart] {
                for wanted in [0, 2_000, 100_000] {
                    let with = |threshold| Limits { auto_compact_threshold: threshold, ..Limits::default() };
                    let room = with(Some(total)).room("openai:x", &model, wanted);
                    assert!(room.input + room.output <= total, "{total} {wanted} {room:?} {model:?}");
                    assert!(room.output >= 250 && room.input >= total.min(100_000) / 2, "{total} {wanted} {room:?}");
                    let free = with(None).room("openai:x", &model, wanted);
                    assert!(room.input <= free.input && room.output <= free.output);
                    assert_eq!(total == 1_000_000, room == free, "a threshold that is not reached changes nothing");
                }
            }
        }
        let limits = Limits { auto_compact_threshold: Some(50_000), ..Limits::default() };
        assert_eq!(limits.effective_context("claude:sonnet"), 37_500, "phases plan with the same room");
    }

    #[test]
    fn only_a_tool_takes_overhead() {
        let servers = BTreeSet::from(["openai".to_owned()]);
        let limits = Limits { runtime_overhead: 60_000, servers, ..Limits::default() };
        for (provider, overhead) in [("openai:gpt-4.1", 0), ("[cli]claude:opus", 60_000), ("[cli]openai:x", 60_000)] {
            assert_eq!(limits.overhead(provider), overhead, "{provider}");
        }
        assert_eq!(limits.effective_context("openai:gpt-4.1"), 822_800);
        assert_eq!(limits.effective_context("[cli]claude:opus"), 64_600);
    }

    #[test]
    fn the_reserve_is_a_quarter_window_within_the_longest_answer() {
        let named = |window, output, reserved| LimitOverride {
            context_window: window,
            max_output_tokens: output,
            output_reserved: reserved,
            ..LimitOverride::default()
        };
        for (o, reserved) in [
            (named(Some(8_192), None, None), 2_048),
            (named(Some(8_192), Some(2_047), None), 2_047),
            (named(Some(8_192), Some(2_049), None), 2_048),
            (named(Some(8_192), Some(256), None), 256),
            (named(Some(8_192), Some(256), Some(512)), 256),
            (named(Some(8_192), None, Some(4_096)), 4_096),
            (named(Some(1_000_000), None, None), 8_192),
            (named(None, Some(100), None), 100),
            (named(None, Some(40_000), None), 32_000),
            (named(None, None, None), 8_192),
        ] {
            assert_eq!(with("house:llama", o).of("house:llama").0.output_reserved, reserved, "{o:?}");
        }
        let table = with("claude:opus", named(Some(20_000), None, None)).of("claude:opus").0;
        assert_eq!(table.output_reserved, 5_000, "a window that is overridden outdates the reserve of the table");
    }

    #[test]
    fn input_and_output_never_exceed_a_shared_window() {
        for window in [0, 1, 511, 512, 513, 2_500, 4_000, 8_192, 32_000, 400_000] {
            for reserved in [0, 1, 512, 8_192, 64_000] {
                for overhead in [0, 700, 60_000] {
                    let model =
                        ModelLimits { output_reserved: reserved, ..ModelLimits::with_combined_window(window, 512) };
                    let limits = Limits { runtime_overhead: overhead, safety_margin: 0.0, ..Limits::default() };
                    let room = limits.room("[cli]x:y", &model, 100_000);
                    assert!(room.input == 0 || room.input + room.output + overhead <= window, "{model:?} {room:?}");
                }
            }
        }
    }

    #[test]
    fn an_answer_may_be_generous_but_not_endless() {
        let limits = Limits::default();
        let opus = limits.of("claude:opus").0;
        assert_eq!(limits.room("claude:opus", &opus, 500).output, GENEROUS_OUTPUT);
        assert_eq!(limits.room("claude:opus", &opus, 20_000).output, 20_000);
        assert_eq!(limits.room("claude:opus", &opus, 200_000).output, 64_000);
    }
}
