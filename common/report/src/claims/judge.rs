//! Judges one sentence of a statement against the quotes it cites.

use std::collections::BTreeMap;

use precis_proto::claim::{Check, CheckKind, Verdict};
use precis_proto::finding::Quote;
use precis_text::statement::of_quote;

use super::align::{PositionPairs, align};
use super::derived::Figures;
use super::differences::{Known, Sides, differ};
use super::evidence::{QuoteEvidence, QuoteWeights};
use super::identity::Identity;
use super::verdict::{SentenceMeasure, verdict};
use super::wording::{Word, words};
use crate::prose::quoted;

/// Words of a sentence that are compared; the rest of a longer one is not judged. Bounds time. Chosen, not measured.
pub const MOST_WORDS: usize = 400;
/// Quotes that a statement is compared with, the first it cites. Bounds time. Chosen, not measured.
pub const MOST_QUOTES: usize = 12;
/// Factor for the weight of a word that occurs elsewhere in the quotes than its neighbours.
const MOVED: f64 = 0.8;
/// Share of a sentence, by weight, in one sentence of a quote from which it counts as a copy of that sentence.
const COPY: f64 = 0.8;
/// Share of a sentence, by weight, that a sentence of a quote must contain to be the one that was meant.
const MEANT: f64 = 0.5;
/// Content words that it must contain besides.
const LEAST_MEANT: usize = 3;
/// Least content words of a sentence without number, name or negation that is worth comparing.
const LEAST_CONTENT: usize = 3;

/// The result of comparing a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SentenceJudgement {
    pub(super) verdict: Verdict,
    pub(super) checks: Vec<Check>,
    /// The closest sentence of a quote.
    pub(super) rests_on: Option<Quote>,
    /// Whether that sentence is clearly what was meant, so that it may replace this one.
    pub(super) is_meant: bool,
}

/// Whether a sentence has enough content to be compared.
pub(super) fn says_something(sentence: &str) -> bool {
    let words = words(sentence);
    let content = words.iter().filter(|word| word.is_content).count();
    content >= LEAST_CONTENT || words.iter().any(|word| word.is_number() || word.is_name || word.negates)
}

/// The words of all quotes, sentence after sentence, with the origin of each.
#[derive(Default)]
struct QuoteWords<'q> {
    given: Vec<&'q Word>,
    /// The text of the quote of each word.
    given_text: Vec<&'q str>,
    /// The index in `places` of the sentence of each word.
    sentence_of: Vec<usize>,
    /// The number of a quote, and of a sentence in it.
    places: Vec<(usize, usize)>,
    /// Words around the quotes.
    near: Vec<&'q Word>,
}

impl<'q> QuoteWords<'q> {
    fn of_quotes(quotes: &[&'q QuoteEvidence<'q>]) -> Self {
        let mut all = Self::default();
        for (n, quote) in quotes.iter().take(MOST_QUOTES).enumerate() {
            for (at, (_, range)) in quote.sentences.iter().enumerate() {
                for word in &quote.words[range.clone()] {
                    all.given.push(word);
                    all.given_text.push(&quote.text);
                    all.sentence_of.push(all.places.len());
                }
                all.places.push((n, at));
            }
            all.near.extend(&quote.near);
        }
        all
    }
}

/// Whether the words of the sentence are consecutive words of a quote; the last one may be cut off.
fn is_contiguous(said: &[Word], given: &[&Word], pairs: &[(usize, usize)]) -> bool {
    pairs.len() == said.len()
        && !said.is_empty()
        && pairs.windows(2).all(|p| p[1].1 == p[0].1 + 1)
        && pairs
            .iter()
            .enumerate()
            .all(|(n, (i, j))| said[*i].equals(given[*j]) || (n + 1 == pairs.len() && said[*i].is_cut_of(given[*j])))
}

/// Compares `sentence` with `quotes`.
pub(super) fn judge(
    sentence: &str,
    quotes: &[&QuoteEvidence<'_>],
    weights: &QuoteWeights,
    identity: &Identity,
) -> SentenceJudgement {
    let mut said = words(sentence);
    // What is cut is not compared, so it can neither be verbatim nor be said by the quotes.
    let is_cut = said.len() > MOST_WORDS;
    said.truncate(MOST_WORDS);
    let QuoteWords { given, given_text, sentence_of, places, near } = QuoteWords::of_quotes(quotes);
    let pairs = align_words(&said, &given, &sentence_of, weights);
    let mut figures = Figures::default();
    quotes.iter().take(MOST_QUOTES).for_each(|quote| figures.extend(&quote.figures));
    let sides = Sides {
        said_text: sentence,
        said: &said,
        given: &given,
        given_text: &given_text,
        sentence: &sentence_of,
        near: &near,
        pairs: &pairs,
        known: Known { identity, figures: &figures },
    };
    let found = differ(&sides);
    let mut checks = found.checks;
    checks.extend(quotations(sentence, quotes));
    let share = share(&sides, weights);
    let is_refuted = checks.iter().any(|check| !check.holds && check.kind != CheckKind::Subject);
    let weighed = SentenceMeasure {
        is_verbatim: is_contiguous(&said, &given, &pairs) && !is_refuted && !is_cut,
        is_refuted,
        is_wider: found.is_wider || is_cut,
        share,
    };
    let verdict = verdict(&weighed);
    let nearest = nearest(&sides, places.len(), weights);
    if verdict != Verdict::Verbatim {
        let found = nearest.map(|(n, ..)| of_quote(&quotes[places[n].0].sentence(places[n].1)));
        let holds = matches!(verdict, Verdict::Supported) || share >= super::verdict::ENOUGH;
        checks.push(Check { kind: CheckKind::Subject, said: format!("{:.0} %", share * 100.0), found, holds });
    }
    SentenceJudgement {
        verdict,
        checks: if verdict == Verdict::Verbatim { Vec::new() } else { checks },
        rests_on: nearest.map(|(n, ..)| quotes[places[n].0].sentence(places[n].1)),
        is_meant: nearest.is_some_and(|(_, share, count)| share >= MEANT && count >= LEAST_MEANT),
    }
}

/// The alignment with the one sentence that contains nearly all of `said`, else with all sentences: a copy of one sentence is judged by
/// that sentence alone and takes no words from others.
fn align_words(said: &[Word], given: &[&Word], sentence_of: &[usize], weights: &QuoteWeights) -> PositionPairs {
    let all = align(said, given);
    let weight = |pairs: &[(usize, usize)]| -> f64 {
        pairs.iter().map(|(i, _)| &said[*i]).filter(|word| word.is_content).map(|word| weights.weight(word)).sum()
    };
    let mut held: BTreeMap<usize, f64> = BTreeMap::new();
    for pair in &all {
        *held.entry(sentence_of[pair.1]).or_default() += weight(std::slice::from_ref(pair));
    }
    let Some((best, _)) = held.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return all };
    let from = sentence_of.partition_point(|n| *n < best);
    let to = sentence_of.partition_point(|n| *n <= best);
    let one: PositionPairs = align(said, &given[from..to]).into_iter().map(|(i, j)| (i, j + from)).collect();
    let whole: f64 = said.iter().filter(|word| word.is_content).map(|word| weights.weight(word)).sum();
    if weight(&one) >= COPY * whole { one } else { all }
}

/// A check for each quotation of four words or more.
fn quotations(sentence: &str, quotes: &[&QuoteEvidence<'_>]) -> Vec<Check> {
    let texts: Vec<&str> = quotes.iter().map(|quote| &*quote.text).collect();
    let check = |quotation: quoted::Quotation| {
        let holds = quoted::stands_in(&quotation.text, &texts);
        Check { kind: CheckKind::Quoted, said: quotation.text, found: None, holds }
    };
    quoted::quotations(sentence).into_iter().map(check).collect()
}

/// Share of a sentence's content, by weight, that occurs in its quotes; names found only around the quotes are left out of the sum. 1 if
/// the sentence has no content.
fn share(sides: &Sides<'_>, weights: &QuoteWeights) -> f64 {
    let mut matched = vec![None; sides.said.len()];
    sides.pairs.iter().for_each(|(i, j)| matched[*i] = Some(*j));
    let (mut held, mut all) = (0.0, 0.0);
    for (at, word) in sides.said.iter().enumerate().filter(|(_, word)| word.is_content) {
        let weight = weights.weight(word);
        let stands = || sides.given.iter().any(|given| word.resembles(given));
        if matched[at].is_some() {
            held += weight;
        } else if stands() {
            held += weight * MOVED;
        } else if word.is_name && sides.near.iter().any(|near| word.resembles(near)) {
            continue;
        }
        all += weight;
    }
    if all > 0.0 { held / all } else { 1.0 }
}

/// Index of the quotes' sentence that contains most of a sentence, with the share by weight and the number of content words.
fn nearest(sides: &Sides<'_>, sentences: usize, weights: &QuoteWeights) -> Option<(usize, f64, usize)> {
    let mut held = vec![(0.0, 0_usize); sentences];
    for (i, j) in sides.pairs.iter().filter(|(i, _)| sides.said[*i].is_content) {
        let own = &mut held[sides.sentence[*j]];
        own.0 += weights.weight(&sides.said[*i]);
        own.1 += 1;
    }
    let all: f64 = sides.said.iter().filter(|word| word.is_content).map(|word| weights.weight(word)).sum();
    // Of two that contain as much the first, where `max_by` alone takes the last.
    let best = (0..sentences).max_by(|a, b| held[*a].0.total_cmp(&held[*b].0).then(b.cmp(a)))?;
    (held[best].0 > 0.0).then(|| (best, held[best].0 / all, held[best].1))
}

#[cfg(test)]
mod tests {
    use precis_proto::quote_context::{ContextRange, ContextRole};
    use precis_proto::{CharRange, Locator, SourceId};

    use super::*;

    fn against_quote(text: &str) -> Quote {
        let range = CharRange::new(0, text.chars().count());
        let source_id = SourceId::new("s").expect("an id");
        Quote::new(source_id, Locator { page: None, range }, text.to_owned(), Vec::new())
    }

    fn against(sentence: &str, quote: &str) -> SentenceJudgement {
        let quote = against_quote(quote);
        let own = words(&quote.text);
        let weights = QuoteWeights::from_quotes(std::iter::once(&own));
        let evidence = QuoteEvidence::new(&quote, own.clone(), None, "Minutes of Brem");
        judge(sentence, &[&evidence], &weights, &Identity::default())
    }

    #[test]
    fn a_list_negation_ends_at_its_question_or_call() {
        let item = |start: usize, text: &str| ContextRange {
            role: ContextRole::Item,
            locator: Locator { page: None, range: CharRange::new(start, start + text.chars().count()) },
            text: text.to_owned(),
            at: None,
        };
        let second = "If the change contains risks, is it justified?";
        for first in ["Can it break code that we do not mean to?", "Break what we do not mean to!", "我们不想破坏它？"]
        {
            let quote = Quote { context: vec![item(100, second)], ..against_quote(first) };
            let own = words(&of_quote(&quote));
            let weights = QuoteWeights::from_quotes(std::iter::once(&own));
            let evidence = QuoteEvidence::new(&quote, own.clone(), None, "");
            let found = judge(second, &[&evidence], &weights, &Identity::default());
            assert_eq!(found.verdict, Verdict::Verbatim, "{first}");
        }
    }

    #[test]
    fn a_sentence_is_held_to_its_quote() {
        use Verdict::{NotSupported, Partly, Supported, Verbatim};
        let series =
            "In the series above, the median is 3. If 12 becomes 120, the median will not be affected: 2, 3, 5.";
        let tower = "The tower of Brem, built by Otto Lang in 1887, is 324 metres high and was never closed.";
        let nothing = "The supplier pays nothing for delays.";
        let health = "The World Health Organization met in Geneva on 3 May 2019.";
        for (sentence, quote, want) in [
            ("In the series above, the median is 3", series, Verbatim),
            ("In the series above, the median is not 3.", series, NotSupported),
            ("The tower of Brem is 324 metres high.", tower, Supported),
            ("Otto Lang built the tower of Brem in 1887.", tower, Supported),
            ("Otto Lang built the tower of Brem in 1878.", tower, NotSupported),
            ("The tower of Brem is 324 feet high.", tower, NotSupported),
            ("The tower of Brem was closed.", tower, NotSupported),
            ("The tower of Brem, built by Karl Lang in 1887, is 324 metres high.", tower, NotSupported),
            ("The WHO met in Geneva on 3 May 2019.", health, Supported),
            ("The WHO met in Geneva on 3 June 2019.", health, NotSupported),
            ("The WHO met in Geneva on 4 May 2019.", health, NotSupported),
            ("Bread is baked in ovens.", health, NotSupported),
            ("Two of 3 men left the old harbour.", "2 of 3 men left the old harbour.", Verbatim),
            ("3 of 3 men left the old harbour.", "2 of 3 men left the old harbour.", NotSupported),
            ("All birds of the island may fly.", "Some birds of the island may fly.", Partly),
            ("Die Frist beträgt nicht 30 Tage.", "Die Frist beträgt 30 Tage.", NotSupported),
            ("El socio puede firmar el contrato.", "El socio no puede firmar el contrato.", NotSupported),
            ("Le visiteur peut entrer dans le dépôt.", "Le visiteur ne peut pas entrer dans le dépôt.", NotSupported),
            ("会员可以投票。", "会员不可以投票。", NotSupported),
            ("The supplier always pays everything.", nothing, NotSupported),
            ("The supplier pays a fee.", nothing, NotSupported),
            ("The supplier pays.", nothing, NotSupported),
            ("Der Lieferant zahlt alles.", "Der Lieferant zahlt nichts bei Verzug.", NotSupported),
            (
                "The supplier pays the fee of the year.",
                "The supplier pays the fee of the year and nothing for delays.",
                Verbatim,
            ),
            ("The supplier pays nothing.", "The supplier pays a fee for delays.", NotSupported),
            (
                "3. Update the documentation of the release.",
                "2. Update the documentation of the release.",
                NotSupported,
            ),
            ("3. Update the documentation of the release.", "Update the documentation of the release.", Supported),
            ("It says “the tower was often closed in winter”, in 1887.", tower, NotSupported),
        ] {
            let judged = against(sentence, quote);
            assert_eq!(judged.verdict, want, "{sentence}: {:?}", judged.checks);
        }
    }

    #[test]
    fn a_sentence_of_too_many_words_is_judged_in_part() {
        for (count, want) in
            [(MOST_WORDS - 1, Verdict::Verbatim), (MOST_WORDS, Verdict::Verbatim), (MOST_WORDS + 1, Verdict::Partly)]
        {
            let text = vec!["ice"; count].join(" ");
            assert_eq!(against(&text, &text).verdict, want, "{count}");
        }
    }

    #[test]
    fn quotes_beyond_the_limit_are_not_compared() {
        let filler = Quote {
            source_id: SourceId::new("s").expect("an id"),
            locator: "char:0-12".parse().expect("a locator"),
            text: "Bread bakes.".to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        let right = Quote { text: "Ice melts in the warm summer.".to_owned(), ..filler.clone() };
        for (before, found) in [(MOST_QUOTES - 2, true), (MOST_QUOTES - 1, true), (MOST_QUOTES, false)] {
            let quotes: Vec<&Quote> = std::iter::repeat_n(&filler, before).chain([&right]).collect();
            let read: Vec<QuoteEvidence<'_>> =
                quotes.iter().map(|quote| QuoteEvidence::new(quote, words(&quote.text), None, "")).collect();
            let judged =
                judge(&right.text, &read.iter().collect::<Vec<_>>(), &QuoteWeights::default(), &Identity::default());
            assert_eq!(judged.verdict == Verdict::Verbatim, found, "{before}");
        }
    }
}
