//! Statements of one document of which one stands within the other: an item of a list that is shown whole says nothing more, and a whole list
//! repeats its item.

use precis_evidence::passage::PARAGRAPH_CHARS;
use precis_evidence::typed::wanted::Wanted;
use precis_proto::quote_context::ContextRole;
use precis_proto::task::TaskFinding;
use precis_text::equal_words::equal_words;
use precis_text::terms;
use precis_text::terms::likeness;

use super::measures::own_words;
use super::merged_statement::MergedStatement;

/// Of `statements`, best first, removes each that is of the same source as a better one and has every part of it, or is a part of it. The one
/// with more takes the better one's place if it is short, if it has a term of `query` that the better one lacks, or if a list is wanted.
pub(super) fn remove_contained(query: &str, statements: &mut Vec<MergedStatement<'_>>) {
    let asked = terms::query_terms(query);
    let wants_list = matches!(Wanted::of(query), Wanted::Items | Wanted::Steps);
    let mut kept: Vec<(MergedStatement<'_>, StatementWords)> = Vec::new();
    for statement in std::mem::take(statements) {
        let own = StatementWords::new(statement.finding);
        let same = |better: &MergedStatement<'_>| better.finding.source == statement.finding.source;
        if kept.iter().any(|(better, words)| same(better) && own.is_in(words)) {
            continue;
        }
        let is_held = |better: &(MergedStatement<'_>, StatementWords)| same(&better.0) && better.1.is_in(&own);
        let Some(at) = kept.iter().position(is_held) else {
            kept.push((statement, own));
            continue;
        };
        let (better, words) = &kept[at];
        let adds = own.adds(&asked, words);
        match better.ids.len() {
            // What several sources say stays with all of them.
            2.. if adds => kept.push((statement, own)),
            1 if adds || wants_list || own.is_short() => {
                let is_repeated = |one: &_| is_held(one) && one.0.ids.len() == 1;
                let further: Vec<usize> = (at + 1..kept.len()).filter(|other| is_repeated(&kept[*other])).collect();
                kept[at] = (statement, own);
                further.into_iter().rev().for_each(|other| drop(kept.remove(other)));
            }
            _ => {}
        }
    }
    statements.extend(kept.into_iter().map(|(statement, _)| statement));
}

/// The words of a statement.
struct StatementWords {
    /// Those of all of it.
    whole: String,
    /// Those of each of its ranges.
    parts: Vec<String>,
    terms: Vec<String>,
}

impl StatementWords {
    fn new(finding: &TaskFinding) -> Self {
        let whole = equal_words(&finding.statement);
        Self { whole, parts: parts(finding), terms: terms::terms(&finding.statement) }
    }

    /// Whether `other` has every part of it.
    fn is_in(&self, other: &Self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| holds(&other.whole, part))
    }

    fn is_short(&self) -> bool {
        self.whole.chars().count() <= PARAGRAPH_CHARS
    }

    /// Whether it has one of the `asked` terms that `other` lacks.
    fn adds(&self, asked: &[String], other: &Self) -> bool {
        let has = |words: &Self, term: &String| words.terms.iter().any(|own| likeness(term, own) > 0.0);
        asked.iter().any(|term| has(self, term) && !has(other, term))
    }
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
        let shown = |findings: &[TaskFinding]| shown("May I keep a dog?", findings);
        let whole = finding(1, 1, leads, "names of guests; lists of prices; art");
        assert_eq!(shown(&[whole.clone(), finding(2, 1, leads, "lists of prices")]), [1]);
        assert_eq!(shown(&[whole.clone(), finding(2, 2, leads, "lists of prices")]), [1, 2], "another document");
        assert_eq!(
            shown(&[whole.clone(), finding(2, 1, "Keep these:", "lists of prices")]),
            [1, 2],
            "other words above"
        );
        assert_eq!(shown(&[whole.clone(), finding(2, 1, "", "list")]), [1, 2], "a part of a word");
    }

    #[test]
    fn a_list_that_repeats_a_better_item_goes_unless_it_is_wanted() {
        let leads = "You must not keep these:";
        let long = |chars: usize| format!("art of dogs; names of cats {}", "x".repeat(chars));
        let findings = [finding(1, 1, leads, "art of dogs"), finding(2, 1, leads, &long(PARAGRAPH_CHARS))];
        for (query, want) in [
            ("May I keep a dog?", 1),
            ("May I keep a cat or a dog?", 2),
            ("What are the things that I must not keep?", 2),
        ] {
            assert_eq!(shown(query, &findings), [want], "{query}");
        }
        let beside = equal_words(&format!("{leads} {}", long(0))).chars().count() + 1;
        for (chars, want) in [(PARAGRAPH_CHARS - beside, 2), (PARAGRAPH_CHARS - beside + 1, 1)] {
            let short = finding(2, 1, leads, &long(chars));
            assert_eq!(shown("May I keep a dog?", &[findings[0].clone(), short]), [want], "{chars}");
        }
        let other = [findings[0].clone(), TaskFinding { source: 2, ..findings[1].clone() }];
        assert_eq!(shown("May I keep a dog?", &other), [1, 2], "another document");
    }

    #[test]
    fn a_whole_list_takes_the_place_of_all_its_items() {
        let leads = "You must not keep these:";
        let items =
            [finding(1, 1, leads, "art"), finding(2, 1, leads, "names"), finding(3, 1, leads, "art; names; prices")];
        assert_eq!(shown("May I keep a dog?", &items), [3]);
    }

    #[test]
    fn what_several_sources_say_gives_way_to_no_longer_statement() {
        let both = [finding(1, 1, "", "Art is kept."), finding(2, 2, "", "Art is kept.")];
        let longer = |own: &str| [both[0].clone(), both[1].clone(), finding(3, 1, "", own)];
        assert_eq!(shown("Is art kept?", &longer("Art is kept. It is dusted.")), [1], "it only says more");
        assert_eq!(shown("Is art kept, and prices?", &longer("Art is kept. So are prices.")), [1, 3]);
    }

    fn shown(query: &str, findings: &[TaskFinding]) -> Vec<u32> {
        let mut statements = distinct(findings);
        remove_contained(query, &mut statements);
        statements.iter().map(|statement| statement.finding.id).collect()
    }
}
