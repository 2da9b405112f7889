//! `report.md`: the report, then what its numbers stand for and how far it can be trusted.

use precis_proto::response::{Citation, ReportData};
use precis_proto::warning::Warning;

use super::run::literal;
use super::story::stories;
use super::words;

/// The report as one Markdown document. Text from sources is escaped: it shows as it is and means nothing.
#[must_use]
pub fn render(data: &ReportData, warnings: &[Warning]) -> String {
    let mut parts = vec![data.report.trim_end().to_owned()];
    if !data.citations.is_empty() {
        parts.push("## Sources".to_owned());
        parts.extend(data.citations.iter().map(citation));
    }
    if !warnings.is_empty() {
        parts.push("## Warnings".to_owned());
        parts.push(warnings.iter().map(warning).collect::<Vec<_>>().join("\n"));
    }
    parts.push("## What happened to each source".to_owned());
    parts.push(fidelity(data));
    parts.push("## How to verify".to_owned());
    parts.push(HOW_TO_VERIFY.to_owned());
    parts.join("\n\n") + "\n"
}

const HOW_TO_VERIFY: &str = "Each number in brackets stands for a quote listed under Sources. Its locator counts characters (Unicode \
scalar values, from 0, end exclusive) of the archived text of the source, `archive/SOURCE/HASH.txt`, or of one of its pages. This \
compares every quote with those characters and every text with its hash:\n\n```\nprecis verify report.json --archive archive\n```";

fn citation(citation: &Citation) -> String {
    let title = if citation.title.trim().is_empty() { citation.source_id.as_str() } else { &citation.title };
    let link = words::web_address(citation.url.as_deref()).map_or(String::new(), |url| format!(" <{url}>"));
    // A list number is what `[n]` refers to; the indent of its quote depends on how long it is.
    let marker = format!("{}. ", citation.n);
    let indent = " ".repeat(marker.len());
    format!(
        "{marker}**{}**, {} (`{}`){link}\n\n{indent}> {}",
        literal(title),
        words::place(&citation.locator),
        citation.locator,
        literal(&citation.text)
    )
}

fn warning(warning: &Warning) -> String {
    let about = warning.item_id.as_ref().map_or(String::new(), |id| format!(" ({})", literal(id.as_str())));
    format!("- {} `{}`: {}{about}", words::warning(warning.code), warning.code.as_str(), literal(&warning.message))
}

fn fidelity(data: &ReportData) -> String {
    let mut lines = vec!["| Source | What happened | Tokens |".to_owned(), "| --- | --- | --: |".to_owned()];
    for story in stories(data) {
        let (before, after) = story.tokens();
        let tokens = if story.source.failure.is_some() { "–".to_owned() } else { words::tokens(before, after) };
        lines.push(format!("| {} | {} | {tokens} |", literal(story.title()), literal(&story.line())));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser, Tag};

    use super::*;
    use crate::report::glyph::options;
    use crate::report::marks::marks;
    use crate::sample;

    fn rendered() -> (ReportData, String) {
        let (data, _) = sample::report();
        let text = render(&data, &data.warning_details);
        (data, text)
    }

    #[test]
    fn the_document_starts_with_the_report_and_tells_where_each_quote_stands() {
        let (data, text) = rendered();
        assert!(text.starts_with(&data.report));
        let want = "1. **Ice & snow**, page 1, characters 0–60 (`page:1:char:0-60`) <https://ice.example/report?a=1&b=2>\n\n   > \
                    Glaciers in the Alps lost a tenth of their ice in two years.";
        assert!(text.contains(want), "{text}");
    }

    #[test]
    fn text_from_sources_neither_links_nor_marks_nor_forges_citations() {
        let (data, text) = rendered();
        let mut links = Vec::new();
        for event in Parser::new_ext(&text, options()) {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.to_string()),
                Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => {
                    panic!("{event:?}")
                }
                _ => {}
            }
        }
        assert_eq!(
            links, ["https://ice.example/report?a=1&b=2"; 2],
            "only the addresses of sources, and only of the web"
        );
        assert_eq!(marks(&text), marks(&data.report));
    }

    #[test]
    fn losses_and_warnings_are_told_in_plain_words() {
        let (_, text) = rendered();
        for line in [
            "- Some content was left out. `CONTENT_DROPPED`: 1 source \\<left> out",
            "- A source could not be read, so nothing in this report stands on it. `SOURCE_UNREADABLE`: fetch: 404 (gone)",
            "| Ice & snow | summarization: condensed to fit the budget (40 → 20) | 40 → 20 |",
            "| gone | could not be read: fetch https://gone.example: 404 | – |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
