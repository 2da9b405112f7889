//! Statements that a model judged to fail, given back to their writer once, and what becomes of them.
//!
//! What the writer puts in their place is judged again. What still fails is removed, except in the opening, where the words that decided
//! take its place. If a sentence that goes leaves one behind that refers to it, the whole paragraph is given back.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::claim::{JudgedBy, Verdict};
use precis_proto::finding::Quote;
use precis_proto::task::{JudgedStatement, RepairTask, Replacement};
use precis_text::sentences::{leans_on_earlier, of_block};

use super::batch::{MOST_STATEMENTS, count_tokens};
use super::open_statements::{CitablePieces, OpenStatement};
use super::opinion::{Opinion, Opinions};
use super::outcome::Fate;
use super::settle::settle;
use super::settled::{SettledDraft, SourceTexts};
use crate::draft::plain_citations::without_citations;

/// Reason given for a statement that did not fail itself.
const FOLLOWS: &str = "it follows a statement that did not hold; keep it as it is if it still reads well";

/// The request to repair what failed.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairRequest {
    /// The task for the writer.
    pub task: RepairTask,
    /// Tokens of statements and passages.
    pub tokens: u64,
    /// The claims by the numbers of their statements.
    claims: Vec<(u32, usize)>,
}

/// What the writer put in place of statements, and what words say of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Repaired {
    /// By claim: the new text, and the pieces that it cites.
    texts: BTreeMap<usize, (String, Vec<u32>)>,
    /// New texts that are verbatim, with the place.
    proved: BTreeMap<usize, Option<Quote>>,
    /// New texts to judge, by claim.
    pub open: Vec<OpenStatement>,
}

/// The statements of `settled`, settled with opinions, that failed by a model's judgement, and those that their removal would leave without
/// sense; `None` if nothing failed.
#[must_use]
pub fn repair_request(query: &str, settled: &SettledDraft, pieces: &CitablePieces<'_>) -> Option<RepairRequest> {
    let wanted = claims_to_repair(settled);
    let mut request = RepairRequest { task: RepairTask::default(), tokens: 0, claims: Vec::new() };
    let mut ids: BTreeSet<u32> = BTreeSet::new();
    for (id, claim) in (1_u32..).zip(wanted.into_iter().take(MOST_STATEMENTS)) {
        let (said, compared) = (&settled.claims[claim], &settled.compared[claim]);
        ids.extend(&compared.ids);
        request.claims.push((id, claim));
        request.task.statements.push(JudgedStatement {
            id,
            text: said.text.clone(),
            under: compared.under.clone(),
            cites: compared.ids.clone(),
            doubts: Vec::new(),
            reason: if fails(settled, claim) { said.reason.clone().unwrap_or_default() } else { FOLLOWS.to_owned() },
        });
    }
    query.clone_into(&mut request.task.query);
    request.task.evidence = pieces.show(&ids).0;
    request.tokens = count_tokens(&request.task.evidence);
    (!request.claims.is_empty()).then_some(request)
}

/// The claims to give back, ascending.
fn claims_to_repair(settled: &SettledDraft) -> BTreeSet<usize> {
    let all = 0..settled.claims.len().min(settled.compared.len());
    let mut wanted: BTreeSet<usize> = all.clone().filter(|n| fails(settled, *n)).collect();
    for n in wanted.clone() {
        let run = settled.compared[n].run;
        let in_run = || all.clone().filter(|other| settled.compared[*other].run == run);
        let is_left_alone =
            |other: &usize| *other > n && !fails(settled, *other) && leans_on_earlier(&settled.claims[*other].text);
        if in_run().any(|other| is_left_alone(&other)) {
            wanted.extend(in_run());
        }
    }
    wanted
}

fn fails(settled: &SettledDraft, n: usize) -> bool {
    let claim = &settled.claims[n];
    claim.judged_by == JudgedBy::Model && matches!(claim.verdict, Verdict::NotSupported | Verdict::Disputed)
}

impl RepairRequest {
    /// Reads `replacements`: each new text is compared with what it cites, and what is not verbatim is to be judged.
    #[must_use]
    pub fn apply_replacements(
        &self,
        replacements: &[Replacement],
        settled: &SettledDraft,
        pieces: &CitablePieces<'_>,
    ) -> Repaired {
        let mut repaired = Repaired::default();
        let is_known = |id: &u32| pieces.findings.iter().any(|one| one.finding_id == *id);
        for (id, claim) in &self.claims {
            let Some(given) = replacements.iter().find(|one| one.statement == *id) else { continue };
            let (text, mut ids) = without_citations(&given.text);
            ids.retain(is_known);
            // A writer that cites nothing, or what does not exist, was given these pieces and no others.
            if ids.is_empty() {
                ids.clone_from(&settled.compared[*claim].ids);
            }
            // The same words have failed already.
            if text.is_empty() || ids.is_empty() || text == settled.claims[*claim].text {
                continue;
            }
            let under = settled.compared[*claim].under.clone();
            let open = OpenStatement { claim: *claim, text, ids, cites: true, doubts: Vec::new(), under };
            repaired.compare(open, pieces);
        }
        repaired
    }

    /// What becomes of each claim of the request, given what a model judged of the new texts.
    #[must_use]
    pub fn fates(
        &self,
        settled: &SettledDraft,
        repaired: &Repaired,
        judged: &BTreeMap<usize, Opinion>,
        pieces: &CitablePieces<'_>,
    ) -> BTreeMap<usize, Fate> {
        let fate = |claim: usize| {
            let replaced = repaired.fate(claim, judged);
            match fails(settled, claim) {
                true => Some(replaced.or_else(|| opening_words(settled, claim, pieces)).unwrap_or(Fate::Removed)),
                false => replaced,
            }
        };
        self.claims.iter().filter_map(|(_, claim)| Some((*claim, fate(*claim)?))).collect()
    }
}

impl Repaired {
    fn compare(&mut self, open: OpenStatement, pieces: &CitablePieces<'_>) {
        let OpenStatement { claim, text, ids, .. } = open.clone();
        let marks: String = ids.iter().map(|id| format!("[{id}]")).collect();
        let draft = format!("{} {marks}", precis_context::markdown::escape(&text));
        // As if it were a draft of its own, so that a new text is verbatim by the same rules as an old one.
        let settled = settle("", &draft, pieces.findings, pieces.sources, pieces.texts, true);
        match settled.claims.first().filter(|one| one.verdict == Verdict::Verbatim && settled.claims.len() == 1) {
            Some(one) => drop(self.proved.insert(claim, one.rests_on.clone())),
            None => self.open.push(open),
        }
        self.texts.insert(claim, (text, ids));
    }

    /// The new text of `claim` if it holds, or if nobody judged it.
    fn fate(&self, claim: usize, judged: &BTreeMap<usize, Opinion>) -> Option<Fate> {
        let (text, ids) = self.texts.get(&claim)?.clone();
        let (verdict, rests_on) = match (self.proved.get(&claim), judged.get(&claim)) {
            (Some(rests_on), _) => (Verdict::Verbatim, rests_on.clone()),
            (None, Some(opinion)) => (opinion.verdict, opinion.rests_on.clone()),
            (None, None) => (Verdict::NotJudged, None),
        };
        let holds = match verdict {
            Verdict::Verbatim | Verdict::Supported | Verdict::Partly | Verdict::NoClaim | Verdict::NotJudged => true,
            Verdict::NotSupported | Verdict::Disputed => false,
        };
        holds.then(|| Fate::Replaced { text, ids, verdict, rests_on: rests_on.map(Box::new) })
    }
}

/// For a statement of the opening: the sentence of its passages that decided against it, which stands in its place.
fn opening_words(settled: &SettledDraft, claim: usize, pieces: &CitablePieces<'_>) -> Option<Fate> {
    let opening = settled.compared.first()?.run;
    let compared = &settled.compared[claim];
    let quote = settled.claims[claim].rests_on.as_ref().filter(|_| compared.run == opening)?;
    let quote = whole_sentence(quote, pieces.texts)?;
    Some(Fate::Replaced {
        text: quote.text.clone(),
        ids: compared.ids.clone(),
        verdict: Verdict::Verbatim,
        rests_on: Some(Box::new(quote)),
    })
}

/// `quote` widened to the sentence that it is part of; `None` without the text.
pub(super) fn whole_sentence(quote: &Quote, texts: &SourceTexts) -> Option<Quote> {
    let text = texts.get(&quote.source_id)?;
    let range = text.resolve(&quote.locator)?;
    let blocks = text.leaf_blocks();
    let block = blocks.iter().find(|block| block.range().contains(&range))?;
    let inside = |sentence: precis_proto::CharRange| {
        precis_proto::CharRange::new(block.start + sentence.start, block.start + sentence.end)
    };
    let sentences = of_block(text.slice(block.range())).into_iter().map(inside);
    let held: Vec<_> = sentences.filter(|one| one.start < range.end && range.start < one.end).collect();
    let whole = precis_proto::CharRange::new(held.first()?.start, held.last()?.end);
    let words = text.slice(whole).trim_end();
    let whole = precis_proto::CharRange::new(whole.start, whole.start + words.chars().count());
    Some(Quote { locator: text.locator(whole), text: words.to_owned(), ..quote.clone() })
}

/// The opinions with the fates of a request.
impl Opinions {
    /// Adds what becomes of statements that failed.
    #[must_use]
    pub fn with_fates(self, fates: BTreeMap<usize, Fate>) -> Self {
        Self { fates, ..self }
    }
}

#[cfg(test)]
mod tests;
