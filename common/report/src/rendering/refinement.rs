//! The further iterations of a research, as sentences.

use precis_proto::research::{GapKind, Iteration, KeptReason, KeptReport, Refinement, RefinementEnd};

use super::words::count_with_noun;

/// One line for each iteration, and a last one that states why no other followed.
pub(super) fn lines(refinement: &Refinement) -> Vec<String> {
    let mut lines: Vec<String> = refinement.iterations.iter().map(line).collect();
    lines.push(end(refinement.ended, refinement.iterations.is_empty()).to_owned());
    lines
}

fn line(iteration: &Iteration) -> String {
    let gaps_of = |kind: GapKind, one: &str, many: &str| {
        let count = iteration.gaps.iter().filter(|gap| gap.kind == kind).count();
        (count > 0).then(|| count_with_noun(count, one, many))
    };
    let gaps: Vec<String> = [
        gaps_of(GapKind::SubQuestion, "part of the question without support", "parts of the question without support"),
        gaps_of(
            GapKind::Statement,
            "statement that its quotes do not support",
            "statements that their quotes do not support",
        ),
        gaps_of(GapKind::Disagreement, "value on which quotes differ", "values on which quotes differ"),
        gaps_of(GapKind::Model, "gap named by a model", "gaps named by a model"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let queries = iteration.gaps.iter().map(|gap| gap.queries.len()).sum();
    let percent = |share: f64| format!("{} %", (share * 100.0).round());
    let shares = match (iteration.supported_before, iteration.supported_after) {
        (Some(before), Some(after)) => format!(" Supported before: {}, after: {}.", percent(before), percent(after)),
        (Some(before), None) => format!(" Supported before: {}.", percent(before)),
        (None, Some(after)) => format!(" Supported after: {}.", percent(after)),
        (None, None) => String::new(),
    };
    let failure = iteration.failure.as_ref().map_or(String::new(), |failure| format!(" It failed: {failure}."));
    format!(
        "Iteration {}: {}; {}, {} added.{shares}{failure} {}",
        iteration.n,
        gaps.join(", "),
        count_with_noun(queries, "search", "searches"),
        count_with_noun(iteration.sources_added.len(), "document", "documents"),
        kept_line(iteration.kept, iteration.reason)
    )
}

fn kept_line(kept: KeptReport, reason: KeptReason) -> String {
    let which = match kept {
        KeptReport::Earlier => "The earlier report was kept",
        KeptReport::Later => "The later report was kept",
    };
    let why = match reason {
        KeptReason::Failed => "the iteration failed",
        KeptReason::NoSource => "the iteration added no document that can be read",
        KeptReason::NothingCited => "the later one cites nothing",
        KeptReason::LessSupported => "less of the later one is supported",
        KeptReason::LessAnswered => "the later one answers less",
        KeptReason::BetterSupported => "more of it is supported",
        KeptReason::MoreAnswered => "it answers more",
        KeptReason::MoreSources => "it is equally well supported and uses more documents",
    };
    format!("{which}: {why}.")
}

/// Why no further iteration followed, as a sentence.
fn end(ended: RefinementEnd, is_first: bool) -> &'static str {
    match (ended, is_first) {
        (RefinementEnd::NothingToDo, true) => {
            "Every statement of the report and every part of the question was supported, so no further iteration was needed."
        }
        (RefinementEnd::NothingToDo, false) => {
            "After that, every statement and every part of the question was supported."
        }
        (RefinementEnd::NothingToSearch, _) => "No further iteration: nothing left could be searched for.",
        (RefinementEnd::Iterations, _) => "No further iteration: the iterations were used up.",
        (RefinementEnd::Tokens, _) => "No further iteration: the tokens were used up.",
        (RefinementEnd::Money, _) => "No further iteration: the money was used up.",
        (RefinementEnd::Time, _) => "No further iteration: the time was used up.",
        (RefinementEnd::Asked, _) => "No further iteration: the session was stopped.",
        (RefinementEnd::Sources, _) => "No further iteration: the limit on documents was reached.",
        (RefinementEnd::Searches, _) => "No further iteration: the searches were used up.",
        (RefinementEnd::Rounds, _) => "No further iteration: the rounds were used up.",
        (RefinementEnd::NothingNew, _) => "No further iteration: every possible search was made before.",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_iteration_is_one_line_and_the_end_another() {
        let gap = |kind: &str, queries: &[&str]| json!({ "kind": kind, "severity": "critical", "sub_question": "q1", "text": "t", "lane": "local", "queries": queries });
        let told = json!({
            "iterations": [{
                "n": 1, "gaps": [gap("sub_question", &["a", "b"]), gap("statement", &[])], "sources_added": ["found-3"],
                "supported_before": 0.75, "supported_after": 0.5, "kept": "earlier", "reason": "less_supported",
            }],
            "ended": "iterations",
        });
        let told: Refinement = serde_json::from_value(told).expect("a refinement");
        assert_eq!(
            lines(&told),
            [
                "Iteration 1: 1 part of the question without support, 1 statement that its quotes do not support; 2 searches, \
                 1 document added. Supported before: 75 %, after: 50 %. The earlier report was kept: less of the later one is supported.",
                "No further iteration: the iterations were used up.",
            ]
        );
        let nothing = Refinement { iterations: Vec::new(), ended: RefinementEnd::NothingToDo };
        assert_eq!(
            lines(&nothing),
            [
                "Every statement of the report and every part of the question was supported, so no further iteration was needed."
            ]
        );
    }
}
