//! Statements that stand within another one of the same document: an item of a list that is shown whole says nothing more.

use precis_proto::quote_context::ContextRole;
use precis_proto::task::TaskFinding;
use precis_text::equal_words::equal_words;

use super::measures::own_words;
use super::merged_statement::MergedStatement;

/// Removes those of `statements`, best first, of which a better one of the same source has every part.
pub(super) fn remove_contained(statements: &mut Vec<MergedStatement<'_>>) {
    let mut better: Vec<(u32, String)> = Vec::new();
    statements.retain(|statement| {
        let finding = statement.finding;
        let parts = parts(finding);
        let is_in = |whole: &str| !parts.is_empty() && parts.iter().all(|part| holds(whole, part));
        let is_contained = better.iter().any(|(source, whole)| *source == finding.source && is_in(whole));
        if !is_contained {
            better.push((finding.source, equal_words(&finding.statement)));
        }
        !is_contained
    });
}

/// The words of each range of a statement, without the headings above it.
fn parts(finding: &TaskFinding) -> Vec<String> {
    let context = finding.context.iter().filter(|range| range.role != ContextRole::Heading);
    let texts: Vec<&str> = context.map(|range| range.text.as_str()).collect();
    let own = texts.iter().fold(own_words(finding).into_owned(), |own, text| own.replacen(*text, CUT, 1));
    let parts = own.split(CUT).chain(texts).map(|part| equal_words(part.trim_matches(|c: char| !c.is_alphanumeric())));
    parts.filter(|part| !part.is_empty()).collect()
}

/// Stands where a range was taken out; occurs in no text.
const CUT: &str = "\u{1}";

/// Whether `whole` has `part` as whole words.
fn holds(whole: &str, part: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    whole
        .match_indices(part)
        .any(|(at, _)| !is_word(whole[..at].chars().next_back()) && !is_word(whole[at + part.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::super::merged_statement::distinct;
    use super::*;

    fn finding(id: u32, source: u32, lead_in: &str, own: &str) -> TaskFinding {
        let context = match lead_in {
            "" => serde_json::json!([]),
            lead_in => serde_json::json!([{ "role": "lead_in", "locator": "char:0-9", "text": lead_in }]),
        };
        serde_json::from_value(serde_json::json!({
            "id": id, "topic": "", "statement": format!("{lead_in} {own}").trim(), "title": "", "source": source,
            "score": 1.0 / f64::from(id), "context": context,
        }))
        .expect("a finding")
    }

    #[test]
    fn an_item_of_a_list_that_is_shown_whole_goes() {
        let leads = "You must not keep these:";
        let shown = |findings: &[TaskFinding]| -> Vec<u32> {
            let mut statements = distinct(findings);
            remove_contained(&mut statements);
            statements.iter().map(|statement| statement.finding.id).collect()
        };
        let whole = finding(1, 1, leads, "names of guests; lists of prices; art");
        assert_eq!(shown(&[whole.clone(), finding(2, 1, leads, "lists of prices")]), [1]);
        assert_eq!(shown(&[whole.clone(), finding(2, 2, leads, "lists of prices")]), [1, 2], "another document");
        assert_eq!(
            shown(&[whole.clone(), finding(2, 1, "Keep these:", "lists of prices")]),
            [1, 2],
            "other words above"
        );
        assert_eq!(shown(&[whole.clone(), finding(2, 1, "", "list")]), [1, 2], "a part of a word");
        assert_eq!(shown(&[finding(1, 1, leads, "art"), finding(2, 1, leads, "art; names")]), [1, 2], "it says more");
    }
}
