//! The most calls that summarize one text.

use precis_context::map_reduce::MAX_PARTS;
use precis_context::prompt::text_room;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::task::{SummarizeTask, Task};
use precis_runtime::config::Settings;
use precis_text::tokens;

use crate::options::SummarySettings;

/// How often the summaries of parts are split and summarized again.
const ROUNDS: u64 = 3;
/// Calls of a part: one, and one for a tighter summary if no configured model answered.
const CALLS_PER_PART: u64 = 2;
/// Calls of a whole text: one, and one if its summary is much too long.
const CALLS_PER_TEXT: u64 = 2;
/// Tokens of a question and a title, which stand beside the text. A longer question only makes the bound wider.
const BESIDE: u64 = 1_024;
/// How many tokens of the model a token counted here may be, at most.
const WIDEST: u64 = 2;

/// The most calls for a text of `tokens` tokens, `None` if that is not known: two if one call can carry it, otherwise those of all parts
/// of all rounds.
pub(super) fn most_calls(tokens: Option<u64>, settings: &Settings) -> u64 {
    let room = one_call(settings);
    match tokens.is_some_and(|tokens| tokens.saturating_mul(WIDEST) <= room) {
        true => CALLS_PER_TEXT,
        false => ROUNDS * MAX_PARTS as u64 * CALLS_PER_PART + CALLS_PER_TEXT,
    }
}

/// Tokens of text that one call of the summarizer carries for certain.
fn one_call(settings: &Settings) -> u64 {
    let summaries = SummarySettings::from_settings(settings);
    let task = SummarizeTask {
        level: FidelityLevel::Condensed,
        query: String::new(),
        title: String::new(),
        text: String::new(),
        target_tokens: u64::MAX / 4,
    };
    text_room(&Task::Summarize(task), &summaries.provider, &summaries.limits, &tokens::count).saturating_sub(BESIDE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_one_call_text_costs_two_calls_and_others_per_part() {
        let settings: Settings = serde_json::from_value(json!({
            "runtime_overhead": 0, "roles": { "summarization": { "providers": ["a:b"] } }, "model_context_overrides": { "a:b": { "context_window": 16_000 } },
        }))
        .expect("settings");
        let room = one_call(&settings) / WIDEST;
        assert!(room > 1_000, "{room}");
        for (tokens, want) in
            [(Some(room - 1), 2), (Some(room), 2), (Some(room + 1), 194), (None, 194), (Some(u64::MAX), 194)]
        {
            assert_eq!(most_calls(tokens, &settings), want, "{tokens:?}");
        }
    }
}
