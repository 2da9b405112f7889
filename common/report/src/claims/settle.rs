//! Settles all statements of a draft: judges each, and corrects, marks or removes those that fail.
//!
//! The original text stays on record as a claim. A statement with a wrong number, name or negation is replaced by the quote's sentence that
//! was meant. One that another quote contains verbatim gets that citation. One that its quotes support in part is marked. Anything else is
//! removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use precis_evidence::compared;
use precis_proto::claim::{Check, Claim, Done, JudgedBy, QuoteSupport, Verdict};
use precis_proto::compare::Disagreement;
use precis_proto::finding::{Finding, Quote};
use precis_proto::response::Citation;
use precis_proto::source::Source;
use precis_proto::{Locator, SourceId};
use precis_text::statement::of_quote;

use super::evidence::{QuoteEvidence, QuoteWeights, said};
use super::judge::{SentenceJudgement, judge, says_something};
use super::opinion::{Opinions, after, is_open};
use super::settled::{MOST_CLAIMS, SettledDraft, SourceTexts};
use super::verdict::worse;
use super::wording::{Word, words};
use crate::draft::citations::{cite, cite_reviewed, cited_findings};
use crate::draft::review::{CitedSentences, Review, Ruling, Rulings};
use crate::draft::{StatementMark, remark};

/// Words before or after a bracketed number by which it is recognized as a reference of the source document.
const WORDS_BESIDE: usize = 3;

/// Findings that a statement without a citation is compared with: those that share most of its words.
const NEAREST: usize = 6;

/// Settles `draft`, in which bracketed numbers are ids of `findings`. `texts` are the source texts; without them only names and numbers in
/// the quotes themselves count. Without `edits` every statement is kept unchanged; the built-in model's statements are quotes.
///
/// ```
/// use precis_report::claims::{SourceTexts, settle};
/// use precis_text::CanonicalText;
/// use precis_proto::claim::Verdict;
/// use precis_proto::finding::{Finding, Quote};
/// use precis_proto::source::Source;
/// use precis_proto::{CharRange, Locator, SourceId};
/// use serde_json::json;
///
/// let words = "The supplier pays the buyer 1 percent of the price.";
/// let text = CanonicalText::from_plain(words);
/// let source: Source = serde_json::from_value(json!({
///     "source_id": "a", "title": "a.pdf", "origin": { "content": text.hash() },
///     "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
/// }))?;
/// let locator = Locator { page: None, range: CharRange::new(0, words.chars().count()) };
/// let quote = Quote { source_id: SourceId::new("a")?, locator, text: words.to_owned(), headings: Vec::new(), context: Vec::new(), answer: Vec::new(), more_items: 0, place: None };
/// let (topic, statement) = (String::new(), words.to_owned());
/// let finding = Finding { finding_id: 1, topic, statement, quotes: vec![quote], score: 0.5, tokens: 9 };
/// let draft = "The supplier pays the buyer 2 percent of the price. [1]";
/// let settled = settle("What is paid?", draft, &[finding], &[source], &SourceTexts::new(), true);
/// assert_eq!(settled.claims[0].verdict, Verdict::NotSupported);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn settle(
    query: &str,
    draft: &str,
    findings: &[Finding],
    sources: &[Source],
    texts: &SourceTexts,
    edits: bool,
) -> SettledDraft {
    settle_with(&Opinions::new(), query, draft, findings, sources, texts, edits)
}

/// As [`settle`], with a model's opinions by index in [`SettledDraft::claims`]. They apply to statements that no check refuted and that are
/// not verbatim.
#[must_use]
pub fn settle_with(
    opinions: &Opinions,
    query: &str,
    draft: &str,
    findings: &[Finding],
    sources: &[Source],
    texts: &SourceTexts,
    edits: bool,
) -> SettledDraft {
    let mut reviewer = Reviewer { opinions, ..Reviewer::new(query, draft, findings, sources, texts, edits) };
    let cited = cite_reviewed(draft, findings, sources, &mut reviewer);
    let numbers: HashMap<(&SourceId, Locator), u32> =
        cited.citations.iter().map(|c| ((&c.source_id, c.locator), c.n)).collect();
    let number = |place: &CitedPlace| numbers.get(&(&place.0, place.1)).copied();
    let claims = reviewer.claims.into_iter().map(|ReviewedClaim { mut claim, places, alone }| {
        claim.quotes = places.iter().filter_map(number).collect::<BTreeSet<u32>>().into_iter().collect();
        if claim.quotes.len() > 1 {
            let support: BTreeMap<u32, Verdict> =
                alone.iter().filter_map(|(place, verdict)| Some((number(place)?, *verdict))).collect();
            claim.by_quote = support.into_iter().map(|(n, verdict)| QuoteSupport { n, verdict }).collect();
        }
        claim
    });
    let claims = claims.collect();
    SettledDraft { cited, claims }
}

type CitedPlace = (SourceId, Locator);

/// No opinions, for drafts judged by the checks alone.
static NO_OPINIONS: Opinions = Opinions::new();

/// A claim before its citations have numbers.
struct ReviewedClaim {
    claim: Claim,
    /// The places it was compared with, or cites now.
    places: Vec<CitedPlace>,
    /// What each of several places supports alone.
    alone: Vec<(CitedPlace, Verdict)>,
}

struct Reviewer<'a> {
    findings: BTreeMap<u32, &'a Finding>,
    /// For each finding the words of its quotes.
    words: BTreeMap<u32, Vec<Vec<Word>>>,
    /// For each finding its prepared quotes; filled when a statement first cites it.
    read: BTreeMap<u32, Vec<QuoteEvidence<'a>>>,
    titles: HashMap<&'a SourceId, &'a str>,
    texts: &'a SourceTexts,
    weights: QuoteWeights,
    disagreements: Vec<Disagreement>,
    citations: Vec<Citation>,
    query: &'a str,
    edits: bool,
    opinions: &'a Opinions,
    claims: Vec<ReviewedClaim>,
}

impl<'a> Reviewer<'a> {
    fn new(
        query: &'a str,
        draft: &str,
        findings: &'a [Finding],
        sources: &'a [Source],
        texts: &'a SourceTexts,
        edits: bool,
    ) -> Self {
        let citations = if edits { cite(draft, findings, sources).citations } else { Vec::new() };
        let mut by_id = BTreeMap::new();
        for finding in findings {
            by_id.entry(finding.finding_id).or_insert(finding);
        }
        // Statements that are quotes are compared with their own alone.
        let cited = (!edits).then(|| cited_findings(draft, findings, sources));
        let words: BTreeMap<u32, Vec<Vec<Word>>> = by_id
            .iter()
            .filter(|(id, _)| cited.as_ref().is_none_or(|cited| cited.contains(id)))
            .map(|(id, finding): (&u32, &&Finding)| {
                (*id, finding.quotes.iter().map(|quote| words(&said(quote))).collect())
            })
            .collect();
        Self {
            findings: by_id,
            read: BTreeMap::new(),
            titles: sources.iter().map(|source| (&source.source_id, source.title.as_str())).collect(),
            texts,
            weights: QuoteWeights::from_quotes(words.values().flatten()),
            words,
            disagreements: compared::differing_values(query, &citations),
            citations,
            query,
            edits,
            opinions: &NO_OPINIONS,
            claims: Vec::new(),
        }
    }

    fn read(&mut self, ids: &[u32]) {
        for id in ids {
            let Some(finding) = self.findings.get(id).filter(|_| !self.read.contains_key(id)) else { continue };
            let words = self.words.get(id).cloned().unwrap_or_default();
            let evidence = |(quote, words): (&'a Quote, Vec<Word>)| {
                let title = self.titles.get(&quote.source_id).copied().unwrap_or_default();
                QuoteEvidence::new(quote, words, self.texts.get(&quote.source_id), title)
            };
            let read = finding.quotes.iter().zip(words).map(evidence).collect();
            self.read.insert(*id, read);
        }
    }

    /// Another finding with a quote that contains the whole statement verbatim.
    fn holder(&self, said: &CitedSentences) -> Option<u32> {
        let wanted: Vec<Vec<Word>> = said.sentences.iter().map(|sentence| words(sentence)).collect();
        let wanted: Vec<&Word> = wanted.iter().flatten().collect();
        if wanted.is_empty() {
            return None;
        }
        let holds = |given: &Vec<Word>| {
            given.windows(wanted.len()).any(|window| window.iter().zip(&wanted).all(|(a, b)| a.equals(b)))
        };
        let mut others = self.words.iter().filter(|(id, _)| !said.ids.contains(id));
        others.find(|(_, quotes)| quotes.iter().any(holds)).map(|(id, _)| *id)
    }

    /// The findings whose quotes share most content words with `sentence`, best first.
    fn nearest(&self, sentence: &str) -> Vec<u32> {
        let own: BTreeSet<String> = words(sentence).into_iter().filter(|w| w.is_content).map(|w| w.key).collect();
        let shared = |quotes: &Vec<Vec<Word>>| {
            quotes
                .iter()
                .flatten()
                .filter(|word| own.contains(&word.key))
                .map(|word| &word.key)
                .collect::<BTreeSet<_>>()
                .len()
        };
        let mut ranked: Vec<(usize, u32)> = self.words.iter().map(|(id, quotes)| (shared(quotes), *id)).collect();
        ranked.retain(|(shared, _)| *shared > 0);
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.into_iter().take(NEAREST).map(|(_, id)| id).collect()
    }

    /// Rules on a statement without citations: if it has a number, name or negation, some quote must support it; else it is marked.
    fn uncited(&mut self, said: &CitedSentences) -> Rulings {
        let mut rulings = Rulings { sentences: Vec::new(), ids: None };
        for sentence in &said.sentences {
            let states = words(sentence).iter().any(|word| word.is_number() || word.is_name || word.negates);
            if !states || self.claims.len() >= MOST_CLAIMS {
                let mark = if states { self.mark(StatementMark::Partly) } else { Ruling::Keep };
                rulings.sentences.push(mark);
                continue;
            }
            let ids = self.nearest(sentence);
            self.read(&ids);
            let quotes: Vec<&QuoteEvidence<'_>> = ids.iter().filter_map(|id| self.read.get(id)).flatten().collect();
            let judged = judge(sentence, &quotes, &self.weights);
            let ruling = match judged.verdict {
                Verdict::Verbatim | Verdict::Supported | Verdict::Disputed => Ruling::Keep,
                Verdict::Partly => self.mark(StatementMark::Partly),
                Verdict::NotSupported => self.mark(StatementMark::NoQuote),
            };
            let done = if ruling == Ruling::Keep { Done::Kept } else { Done::Marked };
            let mut claim = Claim {
                text: collapsed(sentence),
                verdict: judged.verdict,
                quotes: Vec::new(),
                by_quote: Vec::new(),
                checks: judged.checks,
                rests_on: judged.rests_on,
                judged_by: JudgedBy::Checks,
                reason: None,
                done,
                now: None,
            };
            let mut ruling = [ruling];
            self.apply_opinion(&mut claim, &mut ruling);
            let places = self.places(&ids);
            let alone = self.alone_of_several(sentence, &places);
            self.claims.push(ReviewedClaim { claim, places, alone });
            rulings.sentences.extend(ruling);
        }
        rulings
    }

    /// Whether another source of the report gives a different value for a number in `sentence`.
    fn is_disputed(&self, sentence: &str, places: &[CitedPlace]) -> bool {
        let own = words(sentence);
        let cites = |n: &u32| {
            let citation = self.citations.iter().find(|citation| citation.n == *n);
            citation
                .is_some_and(|c| places.iter().any(|(source, locator)| *source == c.source_id && *locator == c.locator))
        };
        self.disagreements.iter().flat_map(|disagreement| &disagreement.values).any(|value| {
            let said = words(&value.value).into_iter().find(Word::is_number);
            value.citations.iter().any(cites) && said.is_some_and(|said| own.iter().any(|word| word.equals(&said)))
        })
    }

    fn places(&self, ids: &[u32]) -> Vec<CitedPlace> {
        let quotes = ids.iter().filter_map(|id| self.findings.get(id)).flat_map(|finding| &finding.quotes);
        quotes.map(|quote| (quote.source_id.clone(), quote.locator)).collect()
    }

    fn mark(&self, what: StatementMark) -> Ruling {
        Ruling::Mark(remark(self.query, what).to_owned())
    }
}

impl Review for Reviewer<'_> {
    fn is_of_source(&self, before: &str, mark: &str, after: &str) -> bool {
        if !self.edits {
            return false;
        }
        let (before, after) = (words(before), words(after));
        let before = &before[before.len().saturating_sub(WORDS_BESIDE)..];
        let after = &after[..after.len().min(WORDS_BESIDE)];
        let alike = |a: &[Word], b: &[Word]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b));
        // Documents differ in the space between the numbers of a list, so try the common variants.
        let marks = [mark.to_owned(), mark.replace(", ", ","), mark.replace(", ", "; ")];
        self.findings.values().flat_map(|finding| &finding.quotes).any(|quote| {
            marks.iter().flat_map(|mark| quote.text.match_indices(mark.as_str())).any(|(at, found)| {
                let ahead = words(&quote.text[..at]);
                let behind = words(&quote.text[at + found.len()..]);
                let ahead = &ahead[ahead.len().saturating_sub(WORDS_BESIDE)..];
                let behind = &behind[..behind.len().min(WORDS_BESIDE)];
                (before.len() == WORDS_BESIDE && alike(before, ahead))
                    || (after.len() == WORDS_BESIDE && alike(after, behind))
            })
        })
    }

    fn is_known(&self, id: u32) -> bool {
        self.findings.contains_key(&id)
    }

    fn every_mark_ends(&self) -> bool {
        !self.edits
    }

    fn rule(&mut self, said: &CitedSentences) -> Rulings {
        let keep = Rulings { sentences: vec![Ruling::Keep; said.sentences.len()], ids: None };
        if said.ids.is_empty() {
            return if self.edits { self.uncited(said) } else { keep };
        }
        let places = self.places(&said.ids);
        self.read(&said.ids);
        let is_judged = self.claims.len() < MOST_CLAIMS;
        let judged = self.judged(said, is_judged);
        let mut verdict = if is_judged { Verdict::Verbatim } else { Verdict::Partly };
        judged.iter().flatten().for_each(|one| verdict = worse(verdict, one.verdict));
        let text = said.sentences.join(" ");
        let disputed = self.edits && verdict.is_supported() && self.is_disputed(&text, &places);
        if disputed {
            verdict = Verdict::Disputed;
        }
        let worst = judged.iter().flatten().find(|one| one.verdict == verdict).or(judged.iter().flatten().next());
        let rests_on = worst.and_then(|one| one.rests_on.clone());
        let checks: Vec<Check> = judged.iter().flatten().flat_map(|one| one.checks.clone()).collect();
        let other = (self.edits && verdict == Verdict::NotSupported).then(|| self.holder(said)).flatten();
        let mut rulings = keep;
        let mut now_places = places;
        if let Some(id) = other {
            rulings.ids = Some(vec![id]);
            now_places = self.places(&[id]);
            self.read(&[id]);
        } else if self.edits {
            rulings.sentences = self.rulings(&judged, is_judged);
            if let Some(last) = rulings.sentences.last_mut().filter(|_| disputed) {
                *last = self.mark(StatementMark::Disputed);
            }
        }
        let done = done(&rulings);
        let now = (done == Done::Corrected).then(|| now(said, &rulings));
        let mut claim = Claim {
            text: collapsed(&text),
            verdict,
            quotes: Vec::new(),
            by_quote: Vec::new(),
            checks,
            rests_on,
            judged_by: JudgedBy::Checks,
            reason: None,
            done,
            now,
        };
        if is_judged {
            self.apply_opinion(&mut claim, &mut rulings.sentences);
        }
        let alone = if self.edits { self.alone_of_several(&text, &now_places) } else { Vec::new() };
        self.claims.push(ReviewedClaim { claim, places: now_places, alone });
        rulings
    }
}

impl Reviewer<'_> {
    /// Applies the model's opinion on the next claim, if any: replaces the verdict of the checks and its mark.
    fn apply_opinion(&self, claim: &mut Claim, sentences: &mut [Ruling]) {
        let Some(opinion) = self.opinions.get(&self.claims.len()).filter(|_| self.edits && is_open(claim)) else {
            return;
        };
        let verdict = after(claim, opinion.verdict);
        if verdict != claim.verdict {
            sentences.fill(Ruling::Keep);
            let what = match verdict {
                Verdict::Verbatim | Verdict::Supported => None,
                Verdict::Partly => Some(StatementMark::Partly),
                Verdict::Disputed => Some(StatementMark::Disputed),
                Verdict::NotSupported => Some(StatementMark::NoQuote),
            };
            if let (Some(what), Some(last)) = (what, sentences.last_mut()) {
                *last = self.mark(what);
            }
            claim.done = if what.is_some() { Done::Marked } else { Done::Kept };
        }
        claim.verdict = verdict;
        claim.rests_on = Some(opinion.rests_on.clone());
        claim.reason = (!opinion.reason.is_empty()).then(|| opinion.reason.clone());
        claim.judged_by = JudgedBy::Model;
    }

    /// What each of the quotes at `places` supports of `text` alone; nothing if there is only one, which the verdict is about.
    fn alone_of_several(&self, text: &str, places: &[CitedPlace]) -> Vec<(CitedPlace, Verdict)> {
        if places.len() > 1 { self.alone(text, places) } else { Vec::new() }
    }

    /// What each of the quotes at `places` supports of `text` alone.
    fn alone(&self, text: &str, places: &[CitedPlace]) -> Vec<(CitedPlace, Verdict)> {
        let evidence = self.read.values().flatten();
        let at = |quote: &Quote| (quote.source_id.clone(), quote.locator);
        let cited = evidence.map(|one| (at(one.quote), one)).filter(|(place, _)| places.contains(place));
        cited.map(|(place, one)| (place, judge(text, &[one], &self.weights).verdict)).collect()
    }

    /// Compares each sentence with the quotes it cites; `None` for a sentence that is not judged.
    fn judged(&self, said: &CitedSentences, is_judged: bool) -> Vec<Option<SentenceJudgement>> {
        let evidence: Vec<&QuoteEvidence<'_>> =
            said.ids.iter().filter_map(|id| self.read.get(id)).flat_map(|quotes| quotes.iter()).collect();
        let judged = said.sentences.iter().map(|sentence| {
            let says = is_judged && (said.sentences.len() == 1 || says_something(sentence));
            says.then(|| judge(sentence, &evidence, &self.weights))
        });
        judged.collect()
    }

    /// Returns the ruling for each sentence. After the last claim that is judged, every sentence is marked.
    fn rulings(&self, judged: &[Option<SentenceJudgement>], is_judged: bool) -> Vec<Ruling> {
        let ruling = |judged: &Option<SentenceJudgement>| match judged {
            None if is_judged => Ruling::Keep,
            None => self.mark(StatementMark::Partly),
            Some(one) => self.ruling(one),
        };
        judged.iter().map(ruling).collect()
    }

    fn ruling(&self, judged: &SentenceJudgement) -> Ruling {
        match judged.verdict {
            Verdict::Verbatim | Verdict::Supported | Verdict::Disputed => Ruling::Keep,
            Verdict::Partly => self.mark(StatementMark::Partly),
            Verdict::NotSupported => match judged.rests_on.as_ref().filter(|_| judged.is_meant) {
                Some(quote) => Ruling::Replace(of_quote(quote)),
                None => Ruling::Remove,
            },
        }
    }
}

/// The outcome of a statement.
fn done(rulings: &Rulings) -> Done {
    let all = &rulings.sentences;
    if all.iter().all(|ruling| *ruling == Ruling::Remove) {
        Done::Removed
    } else if rulings.ids.is_some() || all.iter().any(|ruling| matches!(ruling, Ruling::Replace(_) | Ruling::Remove)) {
        Done::Corrected
    } else if all.iter().any(|ruling| matches!(ruling, Ruling::Mark(_))) {
        Done::Marked
    } else {
        Done::Kept
    }
}

/// The text that replaces a statement.
fn now(said: &CitedSentences, rulings: &Rulings) -> String {
    let stands = said.sentences.iter().zip(&rulings.sentences).filter_map(|(sentence, ruling)| match ruling {
        Ruling::Keep => Some(sentence.clone()),
        Ruling::Replace(text) => Some(text.clone()),
        Ruling::Remove => None,
        Ruling::Mark(words) => Some(format!("{sentence} ({words})")),
    });
    collapsed(&stands.collect::<Vec<_>>().join(" "))
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
