//! Keeps the values of other things out of a report: the figure of another town, the value of another setting.

use precis_evidence::typed::named_thing::{PassageNames, Whose, whose};
use precis_proto::task::{CompressTask, TaskPassage};

/// Factor for a passage that is not about the named thing, in a document that speaks of it. Chosen, not measured.
const BESIDE_KEEPS: f64 = 0.7;
/// Whose value each passage of `task` gives.
pub(super) fn whose_value(task: &CompressTask) -> Vec<Whose> {
    let above: Vec<Vec<&str>> = task.passages.iter().map(names).collect();
    let named = task.passages.iter().zip(&above);
    let named: Vec<PassageNames<'_>> =
        named.map(|(p, above)| PassageNames { document: p.source, text: &p.text, above }).collect();
    whose(&task.query, &named)
}

fn names(passage: &TaskPassage) -> Vec<&str> {
    passage.headings.iter().chain([&passage.title, &passage.path]).map(String::as_str).collect()
}

/// Share of its score that a passage keeps; `None` for the value of another thing, which is no value of the named one at all.
pub(super) fn keeps(whose: Whose) -> Option<f64> {
    match whose {
        Whose::Named => Some(1.0),
        Whose::Beside => Some(BESIDE_KEEPS),
        Whose::Other => None,
    }
}
