//! Reviews the statements of a draft one after another: what each is compared with, and what becomes of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use precis_evidence::compared;
use precis_language::silence;
use precis_proto::claim::{Check, CheckKind, Claim, Done, JudgedBy, Verdict};
use precis_proto::compare::Disagreement;
use precis_proto::finding::{Finding, Quote};
use precis_proto::response::Citation;
use precis_proto::{Locator, SourceId};
use precis_text::equal_words::equal_words;

use crate::claims::evidence::{QuoteEvidence, QuoteWeights, statement_of};
use crate::claims::identity::Identity;
use crate::claims::judge::{SentenceJudgement, judge, says_something};
use crate::claims::open_statements::CitablePieces;
use crate::claims::opinion::{Opinion, Opinions};
use crate::claims::outcome::{Fate, doubts, remark_on};
use crate::claims::settled::{ComparedWith, MOST_CLAIMS, SourceTexts};
use crate::claims::unsettled::UnsettledDraft;
use crate::claims::verdict::worse;
use crate::claims::wording::{Word, words};
use crate::draft::ruling::{CitedSentences, Review, Ruling, Rulings};
use crate::draft::{StatementMark, remark};

/// Words before or after a bracketed number by which it is recognized as a reference of the source document.
const WORDS_BESIDE: usize = 3;

/// Content words of a statement from which its place is known by its words alone.
const LEAST_HELD: usize = 4;

/// Findings that a statement without a citation is compared with: those that share most of its words.
const NEAREST: usize = 6;

pub(super) type CitedPlace = (SourceId, Locator);

/// No opinions, for drafts judged by the checks alone.
pub(super) static NO_OPINIONS: LazyLock<Opinions> = LazyLock::new(Opinions::default);

/// A claim before its citations have numbers.
pub(super) struct ReviewedClaim {
    pub(super) claim: Claim,
    /// The places it was compared with, or cites now.
    pub(super) places: Vec<CitedPlace>,
    /// What each of several places supports alone.
    pub(super) alone: Vec<(CitedPlace, Verdict)>,
    pub(super) compared: ComparedWith,
}

pub(super) struct Reviewer<'a> {
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
    identity: Identity,
    pub(super) opinions: &'a Opinions,
    /// Number of the paragraph, item or cell that is read.
    run: usize,
    /// What it stands under.
    under: Vec<String>,
    pub(super) claims: Vec<ReviewedClaim>,
}

impl<'a> Reviewer<'a> {
    pub(super) fn new(unsettled: &UnsettledDraft<'a>) -> Self {
        let UnsettledDraft { query, cited, pieces, edits, .. } = *unsettled;
        let CitablePieces { findings, sources, texts } = pieces;
        let citations = if edits { cited.citations.clone() } else { Vec::new() };
        let mut by_id = BTreeMap::new();
        for finding in findings {
            by_id.entry(finding.finding_id).or_insert(finding);
        }
        // Statements that are quotes are compared with their own alone.
        let cited = (!edits).then(|| cited.finding_ids(findings));
        let words: BTreeMap<u32, Vec<Vec<Word>>> = by_id
            .iter()
            .filter(|(id, _)| cited.as_ref().is_none_or(|cited| cited.contains(id)))
            .map(|(id, finding): (&u32, &&Finding)| {
                (*id, finding.quotes.iter().map(|quote| words(&statement_of(quote))).collect())
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
            identity: if edits { Identity::new(query, findings, sources, texts) } else { Identity::default() },
            opinions: &NO_OPINIONS,
            run: 0,
            under: Vec::new(),
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
        if wanted.iter().filter(|word| word.is_content).count() < LEAST_HELD {
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

    /// Rules on sentences without citations: they are compared with the quotes nearest to them. A sentence of few words, or one that says
    /// what the documents do not tell, is no statement.
    fn rule_on_uncited(&mut self, said: &CitedSentences) -> Rulings {
        let mut rulings = Rulings::keep(said.sentences.len());
        for (at, sentence) in said.sentences.iter().enumerate() {
            if !says_something(sentence) {
                continue;
            }
            if self.claims.len() >= MOST_CLAIMS {
                rulings.sentences[at] = self.mark(StatementMark::NotJudged, &[]);
                continue;
            }
            let ids = self.nearest(sentence);
            self.read(&ids);
            let quotes: Vec<&QuoteEvidence<'_>> = ids.iter().filter_map(|id| self.read.get(id)).flatten().collect();
            let judged = judge(sentence, &quotes, &self.weights, &self.identity);
            // "No source denies that Carl Hope paid" says more than what is not told.
            if tells_silence(sentence, &words(sentence)) && !tells_facts(&judged.checks) {
                continue;
            }
            let verdict = compared_verdict(judged.verdict);
            let claim = self.claim(sentence, verdict, judged.checks, judged.rests_on);
            let mut one = Rulings::keep(1);
            let claim = self.decide(claim, &mut one);
            rulings.sentences[at] = one.sentences.remove(0);
            // What is repaired may cite, which the sentence did not.
            rulings.ids = one.ids.or(rulings.ids);
            let places = self.places(&ids);
            let alone = self.alone_of_several(sentence, &places);
            let compared = ComparedWith { ids, cites: false, run: self.run, under: self.under.clone() };
            self.claims.push(ReviewedClaim { claim, places, alone, compared });
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

    fn mark(&self, what: StatementMark, doubts: &[String]) -> Ruling {
        Ruling::Mark(remark(self.query, what, doubts))
    }

    /// A claim before anything is decided on it.
    fn claim(&self, text: &str, verdict: Verdict, checks: Vec<Check>, rests_on: Option<Quote>) -> Claim {
        Claim {
            text: collapse_space(text),
            verdict,
            quotes: Vec::new(),
            by_quote: Vec::new(),
            checks,
            rests_on,
            judged_by: JudgedBy::Checks,
            reason: None,
            done: Done::Kept,
            now: None,
            now_verdict: None,
        }
    }

    /// Applies the model's opinion on the next claim, if there is one, and writes into `rulings` what becomes of its sentences.
    fn decide(&self, mut claim: Claim, rulings: &mut Rulings) -> Claim {
        if !self.edits {
            return claim;
        }
        let n = self.claims.len();
        let counts = |opinion: &&Opinion| {
            claim.verdict == Verdict::NotJudged && (opinion.verdict != Verdict::NoClaim || !tells_facts(&claim.checks))
        };
        if let Some(opinion) = self.opinions.judged.get(&n).filter(counts) {
            claim.verdict = opinion.verdict;
            claim.rests_on = opinion.rests_on.clone().or(claim.rests_on);
            claim.reason = (!opinion.reason.is_empty()).then(|| opinion.reason.clone());
            claim.judged_by = JudgedBy::Model;
        }
        match self.opinions.fates.get(&n).filter(|_| claim.judged_by == JudgedBy::Model) {
            Some(Fate::Removed) => {
                rulings.sentences.fill(Ruling::Remove);
                claim.done = Done::Removed;
            }
            Some(Fate::Replaced { text, ids, verdict, rests_on }) => {
                rulings.sentences.fill(Ruling::Remove);
                rulings.sentences[0] = Ruling::Replace(self.with_remark(text, *verdict));
                rulings.ids = (!ids.is_empty()).then(|| ids.clone());
                claim.done = Done::Corrected;
                (claim.now, claim.now_verdict) = (Some(collapse_space(text)), Some(*verdict));
                claim.rests_on = rests_on.as_deref().cloned().or(claim.rests_on);
            }
            None => {
                let doubts = doubts(&claim.checks);
                if let (Some(mark), Some(last)) =
                    (remark_on(claim.verdict, !doubts.is_empty()), rulings.sentences.last_mut())
                {
                    *last = self.mark(mark, &doubts);
                    claim.done = Done::Marked;
                }
            }
        }
        claim
    }

    /// A new text with the remark that its verdict needs.
    fn with_remark(&self, text: &str, verdict: Verdict) -> String {
        match remark_on(verdict, false) {
            Some(mark) => format!("{text} ({})", remark(self.query, mark, &[])),
            None => text.to_owned(),
        }
    }
}

/// The verdict of words alone: they prove what they have verbatim, and refute nothing.
fn compared_verdict(compared: Verdict) -> Verdict {
    match compared {
        Verdict::Verbatim => Verdict::Verbatim,
        Verdict::Supported
        | Verdict::Partly
        | Verdict::NotSupported
        | Verdict::Disputed
        | Verdict::NoClaim
        | Verdict::NotJudged => Verdict::NotJudged,
    }
}

/// Whether `sentence` says of the documents as such what they do not tell.
fn tells_silence(sentence: &str, own: &[Word]) -> bool {
    let names = own.iter().any(|word| silence::is_document_word(&word.key)) || silence::unspaced_document(sentence);
    names && own.iter().any(|word| word.negates)
}

/// Whether `checks` found a figure, a date or a name that no quote shows: whatever else it is, such a sentence says something.
fn tells_facts(checks: &[Check]) -> bool {
    let is_fact = |kind: CheckKind| match kind {
        CheckKind::Number | CheckKind::Date | CheckKind::Unit | CheckKind::Name | CheckKind::Quoted => true,
        CheckKind::Negation | CheckKind::Subject => false,
    };
    checks.iter().any(|check| !check.holds && is_fact(check.kind))
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

    fn stands_alone(&self, sentence: &str) -> bool {
        self.edits && tells_silence(sentence, &words(sentence))
    }

    fn begins_run(&mut self, under: Vec<String>) {
        self.run += 1;
        self.under = under;
    }

    fn rule(&mut self, said: &CitedSentences) -> Rulings {
        if said.ids.is_empty() {
            return if self.edits { self.rule_on_uncited(said) } else { Rulings::keep(said.sentences.len()) };
        }
        self.read(&said.ids);
        let mut rulings = Rulings::keep(said.sentences.len());
        if self.claims.len() >= MOST_CLAIMS {
            if let Some(last) = rulings.sentences.last_mut().filter(|_| self.edits) {
                *last = self.mark(StatementMark::NotJudged, &[]);
            }
            let claim = self.claim(&said.sentences.join(" "), Verdict::NotJudged, Vec::new(), None);
            let done = if self.edits { Done::Marked } else { Done::Kept };
            self.claims.push(ReviewedClaim {
                claim: Claim { done, ..claim },
                places: self.places(&said.ids),
                alone: Vec::new(),
                compared: self.compared_with(said),
            });
            return rulings;
        }
        let claim = self.compare(said);
        let mut claim = self.decide(claim, &mut rulings);
        let mut ids = rulings.ids.clone().unwrap_or_else(|| said.ids.clone());
        // Words prove where it stands, if its writer cited another place and no model found it supported there.
        if claim.done == Done::Marked
            && claim.verdict != Verdict::Partly
            && let Some(id) = self.holder(said)
        {
            rulings = Rulings { ids: Some(vec![id]), ..Rulings::keep(said.sentences.len()) };
            (claim.verdict, claim.done) = (Verdict::NotSupported, Done::Corrected);
            (claim.judged_by, claim.now) = (JudgedBy::Checks, Some(claim.text.clone()));
            claim.reason = None;
            ids = vec![id];
        }
        self.read(&ids);
        let places = self.places(&ids);
        let said_now = claim.now.clone().unwrap_or_else(|| said.sentences.join(" "));
        let alone = if self.edits { self.alone_of_several(&said_now, &places) } else { Vec::new() };
        let compared = self.compared_with(said);
        self.claims.push(ReviewedClaim { claim, places, alone, compared });
        rulings
    }
}

impl Reviewer<'_> {
    fn compared_with(&self, said: &CitedSentences) -> ComparedWith {
        ComparedWith { ids: said.ids.clone(), cites: true, run: self.run, under: self.under.clone() }
    }

    /// A statement compared with the quotes it cites.
    fn compare(&self, said: &CitedSentences) -> Claim {
        let text = said.sentences.join(" ");
        let (mut verdict, checks, rests_on) = match self.copied(said, &text) {
            Some(quote) => (Verdict::Verbatim, Vec::new(), Some(quote.clone())),
            None => self.compare_sentences(said),
        };
        if self.edits {
            verdict = compared_verdict(verdict);
            if verdict == Verdict::Verbatim && self.is_disputed(&text, &self.places(&said.ids)) {
                verdict = Verdict::Disputed;
            }
        }
        self.claim(&text, verdict, checks, rests_on)
    }

    /// The quote that `text` is a copy of, from end to end. It is not taken apart: a part of it may lack the denial that stands in another,
    /// as an item "1. Keys: without them nobody enters" stands beside "2. Food".
    fn copied(&self, said: &CitedSentences, text: &str) -> Option<&Quote> {
        let own = equal_words(text);
        let mut quotes = said.ids.iter().filter_map(|id| self.read.get(id)).flatten();
        quotes.find(|one| equal_words(&one.text) == own).map(|one| one.quote)
    }

    /// The worst verdict on the sentences of a statement, all checks, and where the worst one stands.
    fn compare_sentences(&self, said: &CitedSentences) -> (Verdict, Vec<Check>, Option<Quote>) {
        let judged = self.judge_sentences(said);
        let mut verdict = Verdict::Verbatim;
        judged.iter().flatten().for_each(|one| verdict = worse(verdict, one.verdict));
        let worst = judged.iter().flatten().find(|one| one.verdict == verdict).or(judged.iter().flatten().next());
        let checks = judged.iter().flatten().flat_map(|one| one.checks.clone()).collect();
        (verdict, checks, worst.and_then(|one| one.rests_on.clone()))
    }

    /// What each of the quotes at `places` supports of `text` alone; nothing if there is only one, which the verdict is about.
    fn alone_of_several(&self, text: &str, places: &[CitedPlace]) -> Vec<(CitedPlace, Verdict)> {
        if places.len() > 1 { self.alone(text, places) } else { Vec::new() }
    }

    /// What each of the quotes at `places` proves of `text` alone.
    fn alone(&self, text: &str, places: &[CitedPlace]) -> Vec<(CitedPlace, Verdict)> {
        let evidence = self.read.values().flatten();
        let at = |quote: &Quote| (quote.source_id.clone(), quote.locator);
        let cited = evidence.map(|one| (at(one.quote), one)).filter(|(place, _)| places.contains(place));
        let verdict =
            |one: &QuoteEvidence<'_>| compared_verdict(judge(text, &[one], &self.weights, &self.identity).verdict);
        cited.map(|(place, one)| (place, verdict(one))).collect()
    }

    /// Compares each sentence with the quotes it cites; `None` for a sentence that has nothing to compare.
    fn judge_sentences(&self, said: &CitedSentences) -> Vec<Option<SentenceJudgement>> {
        let evidence: Vec<&QuoteEvidence<'_>> =
            said.ids.iter().filter_map(|id| self.read.get(id)).flat_map(|quotes| quotes.iter()).collect();
        let judged = said.sentences.iter().map(|sentence| {
            let says = said.sentences.len() == 1 || says_something(sentence);
            says.then(|| judge(sentence, &evidence, &self.weights, &self.identity))
        });
        judged.collect()
    }
}

fn collapse_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
