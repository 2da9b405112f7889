//! The proof of a report: every citation stands where it says, and no source is lost.

use std::collections::BTreeMap;

use precis_proto::SourceId;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{Citation, QuotedCode};
use precis_proto::state::SessionState;
use precis_report::ledger;
use precis_runtime::runner::{PhaseContext, PhaseError};
use precis_text::CanonicalText;
use precis_text::quoted_lines::quoted_lines;

use super::checked_handler::DEFECT;
use super::give_up;
use crate::documents::texts;

/// Proves the citations and balances the ledger; the session fails if either does not succeed. Returns the lines of the code that is quoted.
pub(super) async fn prove(
    session: &mut SessionState,
    citations: &[Citation],
    ctx: &PhaseContext,
) -> Result<Vec<QuotedCode>, PhaseError> {
    let code = match prove_quotes(session, citations, ctx).await? {
        Ok(code) => code,
        Err(fault) => return Err(give_up(session, FailureCode::CitationUnproved, &fault, DEFECT)),
    };
    session.ledger = ledger::of(&session.content_fidelity);
    match ledger::check(&session.ledger) {
        Ok(()) => Ok(code),
        Err(fault) => Err(give_up(session, FailureCode::LedgerUnbalanced, &fault.to_string(), DEFECT)),
    }
}

/// Returns the lines of the code that is quoted, or a message about the first citation whose text is not at its locator in the canonical
/// text.
async fn prove_quotes(
    session: &SessionState,
    citations: &[Citation],
    ctx: &PhaseContext,
) -> Result<Result<Vec<QuotedCode>, String>, PhaseError> {
    let mut code = Vec::new();
    let mut texts: BTreeMap<&SourceId, CanonicalText> = BTreeMap::new();
    for citation in citations {
        if !texts.contains_key(&citation.source_id) {
            let text = session.source(&citation.source_id).and_then(|s| s.text.as_ref());
            let Some(text) = text else {
                return Ok(Err(format!("citation {} names a source without text", citation.n)));
            };
            let loaded = texts::load(&ctx.services().content, text).await;
            let loaded = loaded.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
            texts.insert(&citation.source_id, loaded);
        }
        let text = &texts[&citation.source_id];
        let stands = text.resolve(&citation.locator).is_some_and(|range| text.slice(range) == citation.text);
        if !stands {
            return Ok(Err(format!("the text of citation {} is not at {}", citation.n, citation.locator)));
        }
        code.extend(code_of(text, citation));
    }
    Ok(Ok(code))
}

/// The lines of the code that a citation quotes, in its text and in its context.
fn code_of(text: &CanonicalText, citation: &Citation) -> Vec<QuotedCode> {
    let locators = std::iter::once(citation.locator).chain(citation.context.iter().map(|range| range.locator));
    let lines = |locator| Some(quoted_lines(text.blocks(), text.resolve(&locator)?));
    let code = locators.map(|locator| QuotedCode { n: citation.n, locator, lines: lines(locator).unwrap_or_default() });
    code.filter(|code| !code.lines.is_empty()).collect()
}
