//! What a terminal shows of a report, as plain text.

use precis_context::markdown::unescape;
use precis_language::detect;
use precis_language::labels::LabelLanguage;
use precis_proto::response::ReportData;

use super::frame::claims_line;
use super::markdown::split_report;

/// The first paragraph of the report with its marks, above it what was judged of its statements; empty if it begins with a table or a list,
/// which stay in the files.
#[must_use]
pub fn opening(data: &ReportData) -> Vec<String> {
    let (_, opening, _) = split_report(&data.report);
    let Some(first) = opening.split("\n\n").next().map(str::trim).filter(|first| !first.is_empty()) else {
        return Vec::new();
    };
    if first.starts_with(['#', '|', '-', '>', '`']) {
        return Vec::new();
    }
    let judged = claims_line(data, LabelLanguage::from_tag(detect(&data.query).tag));
    judged.into_iter().chain([format!("\n{}\n", plain(first))]).collect()
}

/// Markdown as it reads. Brackets of a text stay escaped: a `[5]` that a document has must not look like a mark of ours.
fn plain(markdown: &str) -> String {
    let parts = markdown.split("\\[").map(|part| part.split("\\]").map(unescape).collect::<Vec<_>>().join("\\]"));
    parts.collect::<Vec<_>>().join("\\[")
}

#[cfg(test)]
mod tests {
    use precis_proto::claim::{Evaluation, VerdictCounts};

    use super::*;

    fn shown(markdown: &str, not_judged: u32) -> Vec<String> {
        let (mut data, _) = crate::sample::report();
        data.report = markdown.to_owned();
        let verdicts = VerdictCounts { not_judged, verbatim: 3 - not_judged, ..VerdictCounts::default() };
        data.evaluation = Some(Evaluation { statements: 3, verdicts, ..Evaluation::default() });
        opening(&data)
    }

    #[test]
    fn the_first_paragraph_is_shown_as_it_reads() {
        let report = "# Who pays?\n\nThe \\*buyer\\* pays. [1]\n\n- Mostly. [2]\n";
        assert_eq!(shown(report, 0), ["\nThe *buyer* pays. [1]\n"]);
        let marked = "# Who pays?\n\nThe buyer \\[5\\] pays \\*all\\*. [1]";
        assert_eq!(shown(marked, 0), ["\nThe buyer \\[5\\] pays *all*. [1]\n"]);
        for other in ["# Who pays?\n\n| A | B |\n", "# Who pays?\n\n## Fees\n\nIt pays.", "# Who pays?\n", ""] {
            assert!(shown(other, 0).is_empty(), "{other}");
        }
    }

    #[test]
    fn what_nobody_judged_is_said_above_it() {
        let shown = shown("# Who pays?\n\nThe buyer pays. [1]", 2);
        assert!(shown.len() == 2 && shown[0].starts_with("Not judged: 2 statements"), "{shown:?}");
    }
}
