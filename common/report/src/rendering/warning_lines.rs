//! Warnings as lines of a report: one line for each message, with the names of the sources it concerns.

use precis_language::labels::{Label, LabelLanguage};
use precis_proto::response::ReportData;
use precis_proto::warning::{Warning, WarningCode};

use super::words;
use crate::draft::inline_writer::literal_within;

/// Most items named in a line.
const MOST_NAMED: usize = 4;

/// A warning message and the items it concerns.
struct Case<'a> {
    code: WarningCode,
    message: &'a str,
    items: Vec<String>,
}

/// One Markdown line for each code and message, in the order of first appearance.
pub(super) fn lines(data: &ReportData, warnings: &[Warning], labels: LabelLanguage) -> Vec<String> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for warning in warnings {
        let at = cases.iter().position(|case| case.code == warning.code && case.message == warning.message);
        let at = at.unwrap_or_else(|| {
            cases.push(Case { code: warning.code, message: &warning.message, items: Vec::new() });
            cases.len() - 1
        });
        let item = warning.item_id.as_ref().map(|id| item_name(data, id.as_str()));
        // The same warning from several phases is one event for the reader.
        let items = &mut cases[at].items;
        if let Some(item) = item.filter(|item| !items.contains(item)) {
            items.push(item);
        }
    }
    cases.iter().map(|case| line(case, labels)).collect()
}

fn line(case: &Case<'_>, labels: LabelLanguage) -> String {
    let mut named: Vec<String> = case.items.iter().take(MOST_NAMED).cloned().collect();
    let more = case.items.len() - named.len();
    if more > 0 {
        named.push(labels.fill(Label::More, &[&words::group_digits(more as u64)]));
    }
    let about = if named.is_empty() { String::new() } else { format!(" ({})", literal_within(&named.join(", "))) };
    format!("- {} `{}`: {}{about}", words::warning(case.code), case.code.as_str(), literal_within(case.message))
}

/// The name of an item for the reader: path, address or title of a source; the id if it is no source of the report.
pub(super) fn item_name(data: &ReportData, id: &str) -> String {
    let source = data.sources.iter().find(|source| source.source_id.as_str() == id);
    let name = source.map(|source| source.path.as_ref().or(source.url.as_ref()).unwrap_or(&source.title));
    name.filter(|name| !name.trim().is_empty()).map_or_else(|| id.to_owned(), Clone::clone)
}

#[cfg(test)]
mod tests {
    use precis_language::detect;
    use precis_proto::Phase;

    use super::*;
    use crate::sample;

    #[test]
    fn what_happened_to_several_sources_is_one_line_that_names_them() {
        let (data, _) = sample::report();
        let labels = LabelLanguage::from_tag(detect(&data.query).tag);
        let left_out = |id: &str| Warning {
            item_id: Some(precis_proto::SourceId::new(id).expect("an id")),
            ..Warning::new(WarningCode::ContentDropped, Phase::Synthesis, "no finding quotes it")
        };
        let of = |count: usize| {
            let all: Vec<Warning> = (1..=count).map(|n| left_out(&format!("x-{n}"))).collect();
            lines(&data, &[&all[..], &all[..1]].concat(), labels)
        };
        let head = "- Some content was left out. `CONTENT_DROPPED`: no finding quotes it";
        assert_eq!(of(1), [format!("{head} (x-1)")]);
        assert_eq!(of(MOST_NAMED), [format!("{head} (x-1, x-2, x-3, x-4)")]);
        assert_eq!(of(MOST_NAMED + 1), [format!("{head} (x-1, x-2, x-3, x-4, and 1 more)")]);
        let source =
            data.sources.iter().find(|source| source.path.is_some() || source.url.is_some()).expect("a source");
        let name = source.path.as_ref().or(source.url.as_ref()).expect("a name");
        assert_eq!(item_name(&data, source.source_id.as_str()), *name);
    }
}
