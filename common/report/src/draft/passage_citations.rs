//! Citations of passages turned into citations of quotes: each statement quotes the sentences of the passage that carry it.

use std::collections::BTreeMap;

use precis_context::compress;
use precis_proto::finding::{Finding, Passage, Quote};
use precis_proto::task::{FindingDraft, FindingDrafts};
use precis_text::statement::of_quote;

use super::plain_citations::without_citations;

/// Words before a bracket that a passage must have there too, for the bracket to be part of its text. Chosen: three words hardly ever
/// stand before a number by chance.
const WORDS_BEFORE: usize = 3;

/// A draft that cites findings alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuotedDraft {
    /// The draft, with the numbers of findings in place of those of passages.
    pub markdown: String,
    /// The findings that it cites and that the session does not have yet.
    pub findings: Vec<Finding>,
}

/// Replaces each citation of `passages`, by number, in `markdown` by one of the sentences that the statement in front of it rests on. A
/// statement reaches back to the citation before it, at most to the beginning of its line or cell. `held` are the findings of the session:
/// those with the same quote are cited again, and new ones are numbered after them and after the passages. A citation of a passage without
/// a sentence to quote stays as it is, and so does a number in brackets that is part of the text: the passage cited behind it has it there.
#[must_use]
pub fn quote_passages(
    markdown: &str,
    passages: &BTreeMap<u32, Passage>,
    held: &[Finding],
    count: &dyn Fn(&str) -> u64,
) -> QuotedDraft {
    let known = held.iter().map(|finding| finding.finding_id).chain(passages.keys().copied());
    let next = known.max().unwrap_or(0) + 1;
    let mut quoting = Quoting { passages, held, next, count, new: Vec::new() };
    let mut is_code = false;
    let mut lines: Vec<String> = Vec::new();
    for line in markdown.split('\n') {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        lines.push(if is_code { line.to_owned() } else { quoting.line(line) });
    }
    QuotedDraft { markdown: lines.join("\n"), findings: quoting.new }
}

struct Quoting<'a> {
    passages: &'a BTreeMap<u32, Passage>,
    held: &'a [Finding],
    next: u32,
    count: &'a dyn Fn(&str) -> u64,
    new: Vec<Finding>,
}

impl Quoting<'_> {
    fn line(&mut self, line: &str) -> String {
        let (mut out, mut statement, mut said) = (String::with_capacity(line.len()), String::new(), String::new());
        let (mut rest, mut is_code) = (line, false);
        while let Some(c) = rest.chars().next() {
            let mark = mark(rest).filter(|_| !is_code && !out.ends_with('\\'));
            let mark = mark.filter(|(length, _)| !self.is_text(&out, &rest[..*length], &rest[*length..]));
            let Some((length, ids)) = mark else {
                is_code ^= c == '`';
                match c {
                    '|' => statement.clear(),
                    _ => statement.push(c),
                }
                out.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            };
            // Marks in a row stand behind one statement.
            if statement.chars().any(char::is_alphanumeric) {
                said = without_citations(&statement).0;
            }
            statement.clear();
            let mut cited: Vec<u32> = Vec::new();
            for id in ids {
                let id = self.quoted_finding(id, &said).unwrap_or(id);
                cited.extend((!cited.contains(&id)).then_some(id));
            }
            cited.iter().for_each(|id| out.push_str(&format!("[{id}]")));
            rest = &rest[length..];
        }
        out
    }

    /// Whether a passage that is cited in `behind` has the bracket `mark` after the words at the end of `before`.
    fn is_text(&self, before: &str, mark: &str, behind: &str) -> bool {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let words: Vec<&str> = before.split_whitespace().rev().take(WORDS_BEFORE).collect();
        let wanted: String = words.into_iter().rev().chain([mark]).map(bare).collect();
        let cited = behind.match_indices('[').filter_map(|(at, _)| self::mark(&behind[at..])).flat_map(|(_, ids)| ids);
        let mut cited = cited.filter_map(|id| self.passages.get(&id));
        wanted.len() > mark.len() && cited.any(|passage| bare(&passage.text).contains(&wanted))
    }

    /// The number of the finding with the sentences of passage `id` that carry `statement`; `None` if it is no passage, or has none.
    fn quoted_finding(&mut self, id: u32, statement: &str) -> Option<u32> {
        let passage = self.passages.get(&id)?;
        let draft = FindingDraft { statement: statement.to_owned(), passages: vec![1], ..FindingDraft::default() };
        let drafts = FindingDrafts { findings: vec![draft] };
        let found = compress::findings(&drafts, std::slice::from_ref(passage), self.count);
        let quote = found.into_iter().next()?.quotes.into_iter().next()?;
        let has = |finding: &&Finding| is_same(&finding.quotes, &quote);
        if let Some(known) = self.held.iter().chain(&self.new).find(has) {
            return Some(known.finding_id);
        }
        let (finding_id, said) = (self.next, of_quote(&quote));
        self.next += 1;
        let tokens = (self.count)(&said);
        let score = passage.score.clamp(0.0, 1.0);
        self.new.push(Finding {
            finding_id,
            topic: String::new(),
            statement: said,
            quotes: vec![quote],
            score,
            tokens,
            similarity: None,
        });
        Some(finding_id)
    }
}

/// Whether `quotes` are `quote` alone.
fn is_same(quotes: &[Quote], quote: &Quote) -> bool {
    matches!(quotes, [one] if one.source_id == quote.source_id && one.locator == quote.locator && one.context == quote.context)
}

/// The bytes and numbers of a citation at the beginning of `text`: `[3]`, `[3, 7]`.
fn mark(text: &str) -> Option<(usize, Vec<u32>)> {
    let inside = text.strip_prefix('[')?.split(']').next()?;
    let end = inside.len() + 2;
    let is_closed = text.len() >= end && !text[end..].starts_with('(');
    let ids: Option<Vec<u32>> = inside.split([',', ';']).map(|part| part.trim().parse().ok()).collect();
    ids.filter(|_| is_closed).map(|ids| (end, ids))
}

#[cfg(test)]
mod tests {
    use precis_context::writer_passages::of_text;
    use precis_proto::{BlockKind, SourceId};
    use precis_text::{CanonicalText, Leaf};

    use super::*;

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn passages() -> BTreeMap<u32, Passage> {
        let text = CanonicalText::from_leaves(&[
            Leaf::new(
                BlockKind::Paragraph,
                "The ferry takes 18 minutes. It belongs to Carl Hope. The tunnel costs 9 million. It was measured by Low [5] on a ship.",
            ),
            Leaf::new(BlockKind::Code, "fee = 2**13"),
        ]);
        let found = of_text(&SourceId::new("s").expect("an id"), &text, "ferry");
        (5..).zip(found).collect()
    }

    #[test]
    fn each_statement_quotes_the_sentence_that_carries_it() {
        let quotes = |markdown: &str| {
            let quoted = quote_passages(markdown, &passages(), &[], &words);
            (quoted.markdown, quoted.findings.iter().map(|one| one.quotes[0].text.clone()).collect::<Vec<_>>())
        };
        let (time, owner, cost) =
            ("The ferry takes 18 minutes.", "It belongs to Carl Hope.", "The tunnel costs 9 million.");
        for (draft, markdown, quoted) in [
            ("The crossing by ferry lasts 18 minutes [5].", "The crossing by ferry lasts 18 minutes [6].", &[time][..]),
            (
                "Carl Hope owns it [5], and the tunnel is dear [5].",
                "Carl Hope owns it [6], and the tunnel is dear [7].",
                &[owner, cost],
            ),
            (
                "Carl Hope owns it [5]. Hope, Carl owns it [5, 5].",
                "Carl Hope owns it [6]. Hope, Carl owns it [6].",
                &[owner],
            ),
            ("| Ferry | 18 minutes [5] | Hope [5] |", "| Ferry | 18 minutes [6] | Hope [7] |", &[time, owner]),
            ("The fee is 8192, `2**13` [5].", "The fee is 8192, `2**13` [6].", &["fee = 2**13"]),
            (r"Escaped \[5\], unknown [9] and code `[5]`.", r"Escaped \[5\], unknown [9] and code `[5]`.", &[]),
            (
                "It was measured by Low [5] on a ship [5].",
                "It was measured by Low [5] on a ship [6].",
                &["It was measured by Low [5] on a ship."],
            ),
            ("```\n[5]\n```", "```\n[5]\n```", &[]),
            ("[the text](5) [5](x)", "[the text](5) [5](x)", &[]),
        ] {
            let quoted: Vec<String> = quoted.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(quotes(draft), (markdown.to_owned(), quoted), "{draft}");
        }
    }

    #[test]
    fn a_quote_that_a_finding_has_is_cited_as_that_finding() {
        let first = quote_passages("Carl Hope owns it [5].", &passages(), &[], &words).findings;
        let held: Vec<Finding> = first.into_iter().map(|one| Finding { finding_id: 3, ..one }).collect();
        let quoted = quote_passages("Carl Hope owns it [5]. The tunnel costs 9 [5].", &passages(), &held, &words);
        assert_eq!(quoted.markdown, "Carl Hope owns it [3]. The tunnel costs 9 [6].");
        assert_eq!(quoted.findings.len(), 1);
    }
}
