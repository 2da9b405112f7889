//! Compares a model's text between the citations with the quotes it cites: words in quotation marks, and figures.
//!
//! A citation is proved against its document, but the sentence around it is the model's. Two things in it can be compared without
//! understanding it, and do most harm if they are wrong: words in quotation marks, and numbers. Differences are reported, not
//! corrected.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `quoted` | the words in quotation marks of a text, and whether they occur in another |
//! | `figures` | the numbers of a text, in any of the usual notations |

pub(crate) mod figures;
pub(crate) mod quoted;

use std::collections::BTreeSet;
use std::ops::Range;

use precis_proto::response::Citation;

use crate::draft::reading::{ReadingBlock, blocks};
use crate::groundedness::sentences_at;

/// Most deviations reported for one report; reading stops after that many. Chosen.
pub const MOST_DEVIATIONS: usize = 50;

/// A place where the report differs from its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// What differs.
    pub kind: DeviationKind,
    /// The sentence, without its citations.
    pub sentence: String,
    /// The citations it was compared with, in order; empty if it has none and was compared with all.
    pub cites: Vec<u32>,
}

/// Text that occurs in none of the quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviationKind {
    /// Four or more words in quotation marks.
    Quoted(String),
    /// Numbers as written in the sentence, each once.
    Figures(Vec<String>),
}

/// Compares the prose of a finished report with the quotes it cites: every quoted string of four words or more, and every figure of a
/// sentence with a citation. At most [`MOST_DEVIATIONS`], in order; headings and code blocks are skipped.
///
/// A quoted string is compared with the citations of the sentences it covers, otherwise with those of its paragraph, otherwise with all.
/// Numbers are equal however they are grouped: `1,234.5`, `1.234,5` and `1 234,50`; small ones also if the quote spells them out.
#[must_use]
pub fn deviations(markdown: &str, citations: &[Citation]) -> Vec<Deviation> {
    let mut found = Vec::new();
    for block in blocks(markdown).iter().filter(|block| !block.is_heading) {
        let sentences = sentences_at(block);
        for quotation in quoted::quotations(&block.text) {
            let cites = cites_of(&quotation.range, block, &sentences);
            let given = texts(citations, &cites);
            if !quoted::stands_in(&quotation.text, &given) {
                let sentence = sentences.iter().find(|(at, _)| at.end > quotation.range.start);
                let sentence = sentence.map_or("", |(at, _)| block.text[at.clone()].trim()).to_owned();
                found.push(Deviation { kind: DeviationKind::Quoted(quotation.text), sentence, cites });
            }
        }
        for (at, cites) in sentences.iter().filter(|(_, cites)| !cites.is_empty()) {
            let sentence = &block.text[at.clone()];
            let missing = figures::missing(sentence, &texts(citations, cites));
            if !missing.is_empty() {
                let (kind, sentence) = (DeviationKind::Figures(missing), sentence.trim().to_owned());
                found.push(Deviation { kind, sentence, cites: cites.clone() });
            }
        }
        if found.len() >= MOST_DEVIATIONS {
            found.truncate(MOST_DEVIATIONS);
            break;
        }
    }
    found
}

fn cites_of(range: &Range<usize>, block: &ReadingBlock, sentences: &[(Range<usize>, Vec<u32>)]) -> Vec<u32> {
    let runs_through = sentences.iter().filter(|(at, _)| at.start < range.end && range.start < at.end);
    let own: BTreeSet<u32> = runs_through.flat_map(|(_, cites)| cites.iter().copied()).collect();
    match own.is_empty() {
        true => block.cites.iter().map(|(_, n)| *n).collect::<BTreeSet<_>>().into_iter().collect(),
        false => own.into_iter().collect(),
    }
}

/// The quotes of `cites`; all quotes if `cites` is empty.
fn texts<'c>(citations: &'c [Citation], cites: &[u32]) -> Vec<&'c str> {
    citations.iter().filter(|c| cites.is_empty() || cites.contains(&c.n)).map(|c| c.text.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(n: u32, text: &str) -> Citation {
        Citation {
            n,
            source_id: precis_proto::SourceId::new("s").expect("an id"),
            title: String::new(),
            url: None,
            locator: "char:0-1".parse().expect("a locator"),
            text: text.to_owned(),
            source_text_hash: String::new(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
        }
    }

    fn told(markdown: &str) -> Vec<String> {
        let citations = [
            citation(1, "Clause 1. The supplier pays the buyer 1 percent of the price for each week of delay."),
            citation(2, "The maintenance fee is 12,500 euros a year and rises by two percent."),
        ];
        let word = |d: Deviation| match d.kind {
            DeviationKind::Quoted(text) => format!("“{text}”"),
            DeviationKind::Figures(all) => all.join(" "),
        };
        deviations(markdown, &citations).into_iter().map(word).collect()
    }

    #[test]
    fn what_the_quotes_say_passes_and_what_they_do_not_say_is_told() {
        let none: &[&str] = &[];
        let table: &[(&str, &[&str])] = &[
            ("It says: “The supplier pays the buyer 1 percent of the price” [1].", none),
            (
                "It says: \"The supplier pays the buyer 9 percent of the price\" [1].",
                &["“The supplier pays the buyer 9 percent of the price”", "9"],
            ),
            ("It says: “Clause 1. The supplier pays the buyer 1 percent” [1]. Fine.", none),
            ("It says: “Clause 1. The supplier never pays” [1].", &["“Clause 1. The supplier never pays”"]),
            ("The fee is 12.500 euros [2].", none),
            ("The fee is 12,600 euros [2].", &["12,600"]),
            ("The fee rises by 2 percent [2] and is 12 500 € [2].", none),
            ("The fee rises by 91 percent and 92 percent [2].", &["91 92"]),
            ("The fee is 12,500 euros [1].", &["12,500"]),
            ("The fee is 12,500 euros [1][2].", none),
            ("Nobody cites that it is 91 percent.", none),
            ("Nobody cites “the supplier pays nothing at all”.", &["“the supplier pays nothing at all”"]),
            ("Nobody cites “the maintenance fee is 12,500 euros”.", none),
            ("A “so-called delay” costs 1 percent [1].", none),
            ("## 91 reasons for “a heading of many words”", none),
            ("```\n91 “code of four words”\n```", none),
            ("| fee |\n|---|\n| 91 euros [2] |", &["91"]),
            ("- pays 1 percent [1]\n- pays 3 percent [1]", &["3"]),
        ];
        for (markdown, want) in table {
            assert_eq!(told(markdown), *want, "{markdown}");
        }
    }

    #[test]
    fn no_more_than_the_limit_is_told() {
        for (places, want) in [(49, 49), (50, 50), (51, MOST_DEVIATIONS), (2_000, MOST_DEVIATIONS)] {
            assert_eq!(told(&"It pays 91 percent [1].\n\n".repeat(places)).len(), want, "{places}");
        }
    }

    #[test]
    fn a_deviation_names_its_sentence_and_what_it_was_compared_with() {
        let citations = [citation(1, "one"), citation(2, "two")];
        let found = deviations("First [1]. It is 91 [2].", &citations);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].sentence.trim_end_matches([' ', '.']), &found[0].cites[..]), ("It is 91", &[2][..]));
    }
}
