//! What evaluation warns of: citations of nothing, statements without support, changes and doubts.

use precis_proto::Phase;
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};
use precis_report::claims::{SettledDraft, doubt_warnings};
use precis_report::draft::citations::CitedDraft;
use precis_report::{groundedness, shortening_warning};

/// Share of a sentence's content words that its quotes must contain (chosen, not measured).
const MIN_SUPPORT: f64 = 0.3;

/// Warns of citations that name nothing, and of quotes of the built-in model that do not support their sentence. A model's statements are
/// judged one by one.
pub(super) fn warn_of_citations(session: &mut SessionState, cited: &CitedDraft, edits: bool) {
    for id in &cited.removed {
        session.warn(Warning::new(
            WarningCode::CitationRemoved,
            Phase::Evaluation,
            format!("the draft cites finding {id}, which does not exist"),
        ));
    }
    if edits {
        return;
    }
    for sentence in groundedness::assess(&cited.markdown, &cited.citations, MIN_SUPPORT).unsupported {
        let excerpt: String = sentence.sentence.chars().take(80).collect();
        let message = format!("the quotes of this sentence do not support it: {excerpt}");
        session.warn(Warning::new(WarningCode::UnsupportedStatement, Phase::Evaluation, message));
    }
}

/// Warns of statements that were changed, of those that stay in doubt, and of sources that were shortened.
pub(super) fn warn_of_statements(session: &mut SessionState, settled: &SettledDraft, edits: bool) {
    let doubts = if edits { doubt_warnings(settled) } else { Vec::new() };
    let found = changes_warning(settled).into_iter().chain(doubts).chain(shortening_warning::warning(session));
    found.collect::<Vec<_>>().into_iter().for_each(|warning| session.warn(warning));
}

/// Builds one warning about all statements that were changed.
fn changes_warning(settled: &SettledDraft) -> Option<Warning> {
    let found = settled.evaluation()?;
    let changed = found.corrected + found.removed;
    let message = format!(
        "of {} statements {} were replaced and {} removed, because a model judged that their passages do not say them",
        found.statements, found.corrected, found.removed
    );
    (changed > 0).then(|| Warning::new(WarningCode::StatementsCorrected, Phase::Evaluation, message))
}
