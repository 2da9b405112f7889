//! A statement of a report, merged from all findings in the same words.

use std::collections::HashMap;

use precis_evidence::typed::field_question::is_of_its_document;
use precis_proto::task::TaskFinding;
use precis_text::equal_words::equal_words;

use super::answering_fields::ANSWERING_FIELD_SCORE;

/// Least share of the best score; lower findings are left out. Measured on `bench-answers`.
pub(super) const FLOOR: f64 = 0.3;

/// A statement with the ids of all findings merged into it, the shown one first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MergedStatement<'a> {
    /// The finding that is shown.
    pub(super) finding: &'a TaskFinding,
    /// Its id, then the ids of findings of other sources in the same words.
    pub(super) ids: Vec<u32>,
}

/// The score of a finding, from 0 to 1.
pub(super) fn score(finding: &TaskFinding) -> f64 {
    if finding.score.is_finite() { finding.score.clamp(0.0, 1.0) } else { 0.0 }
}

/// The findings as statements, best first; those in the same words are merged into the best one, with one id for each source. Of header
/// fields in the same words only the best is left if it answers for its document; else they are a list of documents, all cited.
pub(super) fn distinct(findings: &[TaskFinding]) -> Vec<MergedStatement<'_>> {
    let mut order: Vec<&TaskFinding> = findings.iter().filter(|f| !f.statement.trim().is_empty()).collect();
    order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.id.cmp(&b.id)));
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<(MergedStatement<'_>, Vec<u32>)> = Vec::new();
    for finding in order {
        let words = equal_words(&finding.statement);
        let Some(at) = known.get(&words) else {
            known.insert(words, kept.len());
            kept.push((MergedStatement { finding, ids: vec![finding.id] }, vec![finding.source]));
            continue;
        };
        let (statement, sources) = &mut kept[*at];
        // That another document says so of itself is no further witness of the one that was asked about.
        let is_answer = score(statement.finding) >= ANSWERING_FIELD_SCORE;
        let is_of_another = is_answer && is_of_its_document(&finding.statement, &finding.headings);
        if !is_of_another && !sources.contains(&finding.source) {
            sources.push(finding.source);
            statement.ids.push(finding.id);
        }
    }
    kept.into_iter().map(|(statement, _)| statement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answering_field_has_no_witness_in_another_document() {
        let finding = |id, statement: &str, score| TaskFinding {
            id,
            topic: String::new(),
            statement: statement.to_owned(),
            title: String::new(),
            source: id,
            score,
            headings: Vec::new(),
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        };
        for (statement, best, want) in [
            ("status: Final", ANSWERING_FIELD_SCORE, vec![1]),
            ("status: Final", ANSWERING_FIELD_SCORE - 0.01, vec![1, 2]),
            ("It is final.", ANSWERING_FIELD_SCORE, vec![1, 2]),
        ] {
            let found = [finding(1, statement, best), finding(2, statement, 0.5)];
            let merged = distinct(&found);
            assert_eq!(merged.iter().map(|one| one.ids.clone()).collect::<Vec<_>>(), [want], "{statement} {best}");
        }
    }
}
