//! `precis tokens`: counts the tokens of a document for a model, and what is left of its context window.

use precis_context::models::BudgetingMode;
use precis_context::prompt::{ANALYSIS_BUDGET_PERCENT, SYNTHESIS_BUDGET_PERCENT};
use precis_proto::task::Role;
use precis_runtime::config::Settings;
use precis_runtime::store::{MemoryStore, Store};
use serde::Serialize;

use super::extract::{SessionDocument, read, refuse};
use super::settings::load_settings;
use crate::assembly::model_windows;
use crate::cli::exit::Exit;
use crate::cli::numbers::group_digits;
use crate::cli::{ConfigArgs, terminal};
use crate::options::limits;

/// Arguments of `precis tokens`.
#[derive(Debug, clap::Args)]
pub struct TokensArgs {
    /// A file, or a page to fetch
    #[arg(value_name = "FILE|URL", value_hint = clap::ValueHint::AnyPath)]
    pub document: String,
    /// The model to count for [default: the first model of the role `compression`]
    #[arg(long, value_name = "NAME:MODEL")]
    pub provider: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Prints the token count, or the failure.
#[must_use]
pub fn run(args: &TokensArgs) -> Exit {
    let counted = load_settings(&args.config, Vec::new()).and_then(|loaded| {
        let found = read(&args.document, &loaded.settings)?;
        let first = || loaded.settings.chain(Role::Compression).into_iter().next().unwrap_or_default();
        let provider = args.provider.clone().unwrap_or_else(first);
        // As in a run: if no limits are configured for the model, its server is asked for its context window.
        let store = Store::Memory(MemoryStore::new());
        let asked = model_windows::described_for(&loaded.settings, std::slice::from_ref(&provider), &store);
        let settings = super::block_on(async { Ok(asked.await) })?;
        Ok(TokenAccount::new(&found, &provider, &settings))
    });
    match counted {
        Ok(account) => super::finish(match args.json {
            true => terminal::print_json(&account.as_json()),
            false => terminal::print(&account.as_text()),
        }),
        Err(failure) => refuse(&failure, args.json),
    }
}

/// A document compared with a context window; all sizes in tokens unless stated otherwise.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct TokenAccount {
    /// `NAME:MODEL`.
    provider: String,
    /// Characters of the canonical text.
    chars: u64,
    /// Tokens of the canonical text.
    tokens: u64,
    tokenizer: &'static str,
    /// Whether the model itself uses this tokenizer.
    exact: bool,
    context_window: u64,
    /// Whether the limits are defaults, because the model is unknown.
    limits_defaulted: bool,
    max_output_tokens: u64,
    /// `combined`: the window includes the answer. `input_only`: it does not.
    budgeting_mode: &'static str,
    output_reserved: u64,
    runtime_overhead: u64,
    /// A share, from 0 to 1.
    safety_margin: f64,
    /// Window minus reserve, overhead and margin; together with the answer at most `auto_compact_threshold`.
    effective_context: u64,
    /// Effective context minus the document; negative if it does not fit.
    left: i128,
    phase_budgets: PhaseBudgets,
}

/// Input budgets of the phases, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct PhaseBudgets {
    analysis: u64,
    synthesis: u64,
}

impl TokenAccount {
    fn new(found: &SessionDocument, provider: &str, settings: &Settings) -> Self {
        let provider = provider.to_owned();
        let limits = limits(settings);
        let (model, limits_defaulted) = limits.of(&provider);
        let tokenizer = limits.tokenizer(&provider);
        let text = found.text.as_str();
        let (tokens, effective_context) = (tokenizer.count(text), limits.effective_context(&provider));
        Self {
            chars: text.chars().count() as u64,
            tokens,
            tokenizer: tokenizer.as_str(),
            exact: tokenizer.is_exact(),
            context_window: model.context_window,
            limits_defaulted,
            max_output_tokens: model.max_output_tokens,
            budgeting_mode: match model.budgeting_mode {
                BudgetingMode::Combined => "combined",
                BudgetingMode::InputOnly => "input_only",
            },
            output_reserved: model.output_reserved,
            runtime_overhead: limits.overhead(&provider),
            safety_margin: limits.safety_margin,
            effective_context,
            left: i128::from(effective_context) - i128::from(tokens),
            phase_budgets: PhaseBudgets {
                analysis: limits.phase_budget(&provider, ANALYSIS_BUDGET_PERCENT),
                synthesis: limits.phase_budget(&provider, SYNTHESIS_BUDGET_PERCENT),
            },
            provider,
        }
    }

    fn as_json(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).expect("an account has string keys and finite numbers"))
    }

    fn as_text(&self) -> String {
        let how = if self.exact { "exact" } else { "estimated" };
        let window = if self.limits_defaulted { "assumed: no limits are known for this model" } else { "" };
        let margin = format!("{:.0} % of the rest", self.safety_margin * 100.0);
        let (left, remark) = match u64::try_from(self.left) {
            Ok(left) => (group_digits(left), "besides the document"),
            Err(_) => (format!("-{}", group_digits(self.left.unsigned_abs() as u64)), "the document does not fit"),
        };
        let rows = [
            (
                "tokens",
                group_digits(self.tokens),
                format!("{how}, {}; {} characters", self.tokenizer, group_digits(self.chars)),
            ),
            ("window", group_digits(self.context_window), window.to_owned()),
            ("longest answer", group_digits(self.max_output_tokens), String::new()),
            ("reserve", group_digits(self.output_reserved), format!("for the answer, {}", self.budgeting_mode)),
            ("overhead", group_digits(self.runtime_overhead), "runtime_overhead".to_owned()),
            ("margin", margin, "token_safety_margin".to_owned()),
            ("effective", group_digits(self.effective_context), "usable input of one call".to_owned()),
            ("left", left, remark.to_owned()),
            (
                "analysis",
                group_digits(self.phase_budgets.analysis),
                format!("{ANALYSIS_BUDGET_PERCENT} % of effective"),
            ),
            (
                "synthesis",
                group_digits(self.phase_budgets.synthesis),
                format!("{SYNTHESIS_BUDGET_PERCENT} % of effective"),
            ),
        ];
        let mut text = format!("{}\n", self.provider);
        for (name, amount, remark) in rows {
            text.push_str(format!("  {name:<14} {amount:>14}  {remark}").trim_end());
            text.push('\n');
        }
        terminal::printable(&text)
    }
}

#[cfg(test)]
mod tests {
    use precis_text::CanonicalText;
    use serde_json::json;

    use super::*;
    use crate::documents::parse::ParsedDocument;

    fn account(provider: &str, settings: serde_json::Value) -> TokenAccount {
        let text = CanonicalText::from_plain("hello world");
        let parsed = ParsedDocument {
            content_type: "text/plain".to_owned(),
            title: None,
            text: text.as_str().to_owned(),
            pages: 0,
            blocks: Vec::new(),
            remarks: Vec::new(),
            chars_cut: 0,
        };
        let found = SessionDocument { source_id: "s".to_owned(), parsed, text };
        TokenAccount::new(&found, provider, &serde_json::from_value(settings).expect("settings"))
    }

    #[test]
    fn a_known_model_is_counted_exactly_against_its_own_window() {
        let found = account("codex:o3", json!({ "runtime_overhead": 40_000 }));
        assert_eq!((found.tokens, found.tokenizer, found.exact, found.limits_defaulted), (2, "o200k", true, false));
        assert_eq!((found.context_window, found.output_reserved, found.effective_context), (200_000, 100_000, 51_000));
        assert_eq!((found.phase_budgets.analysis, found.phase_budgets.synthesis), (40_800, 43_350));
        assert_eq!(found.left, 50_998);
        let text = found.as_text();
        assert!(
            text.contains("exact, o200k; 11 characters") && text.contains("  left                   50,998"),
            "{text}"
        );
    }

    #[test]
    fn what_does_not_fit_is_said_with_how_much_is_missing() {
        let found = account("house:llama", json!({ "runtime_overhead": 128_000 }));
        assert!(!found.exact && found.limits_defaulted && found.left < 0);
        let text = found.as_text();
        assert!(text.contains("the document does not fit") && text.contains("assumed"), "{text}");
        assert!(found.as_json().contains("\"left\": -3"), "{}", found.as_json());
    }
}
