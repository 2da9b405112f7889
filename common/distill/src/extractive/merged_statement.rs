//! A statement of a report, merged from all findings that say the same.

use std::collections::BTreeMap;

use precis_proto::task::TaskFinding;

use super::repeats::Wording;

/// Least share of the best score; lower findings are left out. Measured on `bench-answers`.
pub(super) const FLOOR: f64 = 0.3;
/// Most statements that are compared word by word; later findings are merged only if equal.
pub(super) const COMPARED: usize = 64;

/// A statement with the ids of all findings merged into it, the shown one first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MergedStatement<'a> {
    /// The finding that is shown.
    pub(super) finding: &'a TaskFinding,
    /// Its id, then the ids of findings of other sources that say the same.
    pub(super) ids: Vec<u32>,
}

/// The score of a finding, from 0 to 1.
pub(super) fn score(finding: &TaskFinding) -> f64 {
    if finding.score.is_finite() { finding.score.clamp(0.0, 1.0) } else { 0.0 }
}

/// The findings as statements, best first; repeats are merged into the best one, with one id for each source.
pub(super) fn distinct(findings: &[TaskFinding]) -> Vec<MergedStatement<'_>> {
    let mut order: Vec<&TaskFinding> = findings.iter().filter(|f| !f.statement.trim().is_empty()).collect();
    order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.id.cmp(&b.id)));
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kept: Vec<(MergedStatement<'_>, Vec<u32>, Option<Wording>)> = Vec::new();
    for finding in order {
        let text = finding.statement.trim();
        let wording = (kept.len() < COMPARED).then(|| Wording::from_statement(text));
        let twin = known.get(text).copied().or_else(|| {
            let repeats =
                |held: &Option<Wording>| held.as_ref().zip(wording.as_ref()).is_some_and(|(a, b)| a.repeats(b));
            kept.iter().position(|(_, _, held)| repeats(held))
        });
        match twin {
            Some(at) => {
                let (statement, sources, _) = &mut kept[at];
                if !sources.contains(&finding.source) {
                    sources.push(finding.source);
                    statement.ids.push(finding.id);
                }
            }
            None => {
                known.insert(text, kept.len());
                kept.push((MergedStatement { finding, ids: vec![finding.id] }, vec![finding.source], wording));
            }
        }
    }
    kept.into_iter().map(|(statement, ..)| statement).collect()
}
