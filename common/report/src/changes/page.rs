//! The changes for readers, as Markdown and as one line.

use super::{Change, Changes, Stated, StatementChange};
use crate::draft::inline_writer::literal;

/// One line for a terminal.
#[must_use]
pub fn line(changes: &Changes) -> String {
    if changes.is_empty() {
        return "nothing has changed: the same documents, the same statements".to_owned();
    }
    let of = |change: Change| changes.statements.iter().filter(|one| one.change == change).count();
    let documents = |change: Change| changes.sources.iter().filter(|one| one.change == change).count();
    format!(
        "statements: {} unchanged, {} changed, {} new, {} gone, {} disputed; documents: {} unchanged, {} changed, {} new, {} gone",
        changes.statements_unchanged,
        of(Change::Changed),
        of(Change::New),
        of(Change::Gone),
        of(Change::Disputed),
        changes.sources_unchanged,
        documents(Change::Changed),
        documents(Change::New),
        documents(Change::Gone),
    )
}

/// `changes.md`: the line, then each changed statement with the quotes of both reports, then the documents. Source text is escaped.
#[must_use]
pub fn markdown(changes: &Changes) -> String {
    let mut parts = vec![format!("# What changed: {}", literal(&changes.query)), format!("{}.", line(changes))];
    if let (Some(before), Some(now)) = (changes.before, changes.now) {
        parts.push(format!("Between {before} and {now}."));
    }
    for (change, heading) in
        [(Change::Disputed, "Disputed now"), (Change::Changed, "Changed"), (Change::New, "New"), (Change::Gone, "Gone")]
    {
        let of: Vec<String> = changes.statements.iter().filter(|one| one.change == change).map(item).collect();
        if !of.is_empty() {
            parts.push(format!("## {heading}"));
            parts.push(of.join("\n"));
        }
    }
    if !changes.sources.is_empty() {
        parts.push("## Documents".to_owned());
        let row = |source: &super::SourceChange| format!("- {}: {}", literal(&source.document), word(source.change));
        parts.push(changes.sources.iter().map(row).collect::<Vec<_>>().join("\n"));
    }
    parts.join("\n\n") + "\n"
}

fn item(one: &StatementChange) -> String {
    let mut lines = Vec::new();
    if let Some(now) = &one.now {
        lines.push(format!("- **Now:** {}", literal(&now.text)));
        lines.extend(quotes(now));
    }
    if let Some(before) = &one.before {
        let opening = if one.now.is_some() { "  **Before:**" } else { "- **Before:**" };
        lines.push(format!("{}{opening} {}", if one.now.is_some() { "\n" } else { "" }, literal(&before.text)));
        lines.extend(quotes(before));
    }
    lines.join("\n")
}

/// The quotes of a statement; only the document if the quote equals the statement.
fn quotes(stated: &Stated) -> impl Iterator<Item = String> + '_ {
    stated.quotes.iter().map(|quote| {
        let since = quote.change.map_or(String::new(), |change| format!(", {} since", word(change)));
        let place = format!("{}{since}", literal(&quote.document));
        match quote.text == stated.text {
            true => format!("  - in {place}"),
            false => format!("  - “{}” in {place}", literal(&quote.text)),
        }
    })
}

fn word(change: Change) -> &'static str {
    match change {
        Change::New => "new",
        Change::Gone => "gone",
        Change::Changed => "changed",
        Change::Disputed => "disputed",
    }
}
