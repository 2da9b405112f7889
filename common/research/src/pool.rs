//! The passages found, each once, with the searches that found them; a near-duplicate points to the passage it repeats, its witness.

use std::collections::BTreeMap;

use precis_evidence::question::entity::{Entity, entities, family, key};
use precis_evidence::question::field::fields;
use precis_evidence::question::own_identifier::own_identifier;

use super::known_documents::KnownDocuments;
use super::novelty::{PassageNovelty, Shingles, novelty};
use super::search::Hit;
use super::term_weights::PassageTerms;

/// Loss of worth with each rank of a result list; chosen, not measured.
const RANK_LOSS: f64 = 0.15;

/// A passage found, with its terms, names and worth.
#[derive(Debug, Clone)]
pub(super) struct PooledPassage {
    pub(super) hit: Hit,
    /// Terms of the passage, its title and its headings.
    pub(super) held: PassageTerms,
    /// The things it names, as [`key`]s.
    pub(super) names: Vec<String>,
    /// Subjects of its document, as [`key`]s: its title, its file name, and the name that opens its text.
    pub(super) about: Vec<String>,
    shingles: Shingles,
    /// Estimated relevance to the question, 0 to 1.
    pub(super) worth: f64,
    /// Indexes of the searches that found it, ascending.
    pub(super) found_by: Vec<usize>,
    /// Hits that were this passage, repeats included.
    pub(super) hits: u32,
    /// Index of the passage that this one repeats.
    pub(super) witness: Option<usize>,
    /// Whether a search for a name found it and it contains that name.
    pub(super) is_led: bool,
}

/// The yield of a search.
#[derive(Debug, Clone, Default)]
pub(super) struct SearchYield {
    /// Passages, best first, each once; near-duplicates left out.
    pub(super) passages: Vec<usize>,
    pub(super) new: u32,
    pub(super) related: u32,
    pub(super) duplicate: u32,
}

/// All passages of a course.
#[derive(Debug, Default)]
pub(super) struct PassagePool {
    passages: Vec<PooledPassage>,
    by_place: BTreeMap<(String, usize, usize), usize>,
    /// Identifier of each document that has one.
    own: BTreeMap<String, String>,
    /// Document numbers: assigned by researchers, else from 1 in the order found.
    numbers: BTreeMap<String, u32>,
    highest: u32,
    /// Whether researchers assigned numbers.
    is_numbered: bool,
}

impl PassagePool {
    pub(super) fn get(&self, place: usize) -> &PooledPassage {
        &self.passages[place]
    }

    /// The passages that repeat no other, in the order they were found.
    pub(super) fn witnesses(&self) -> impl Iterator<Item = (usize, &PooledPassage)> {
        self.passages.iter().enumerate().filter(|(_, passage)| passage.witness.is_none())
    }

    pub(super) fn all(&self) -> &[PooledPassage] {
        &self.passages
    }

    /// The document's own identifier, if it has one.
    pub(super) fn own(&self, document: &str) -> Option<&str> {
        self.own.get(document).map(String::as_str)
    }

    /// The number of a document, which never changes; 0 if it was not found.
    pub(super) fn number(&self, document: &str) -> u32 {
        self.numbers.get(document).copied().unwrap_or_default()
    }

    /// The number that researchers assigned to a document; `None` if no researcher numbers documents.
    pub(super) fn given_number(&self, document: &str) -> Option<u32> {
        self.numbers.get(document).copied().filter(|_| self.is_numbered)
    }

    /// The number of each document, and the highest of them.
    pub(super) fn numbers(&self) -> (&BTreeMap<String, u32>, u32) {
        (&self.numbers, self.highest)
    }

    /// Adds the numbers that researchers assigned; a document that has one keeps it.
    pub(super) fn name(&mut self, numbers: BTreeMap<String, u32>) {
        self.is_numbered |= !numbers.is_empty();
        for (document, number) in numbers {
            let number = *self.numbers.entry(document).or_insert(number);
            self.highest = self.highest.max(number);
        }
    }

    /// Adds the hits of search number `search`, in any order, and returns their yield. Hits in `known` documents count as duplicates.
    pub(super) fn add(&mut self, search: usize, mut hits: Vec<Hit>, known: &KnownDocuments) -> SearchYield {
        // Searchers may return equal scores in any order; document and range break ties, so that a rebuilt pool is equal.
        hits.sort_by(|a, b| {
            let place = |hit: &Hit| (hit.range.start, hit.range.end);
            b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document)).then_with(|| place(a).cmp(&place(b)))
        });
        let mut brought = SearchYield::default();
        for hit in hits {
            let is_known = known.hold(&hit);
            let place = self.add_hit(search, hit, is_known, &mut brought);
            let place = self.passages[place].witness.unwrap_or(place);
            if !brought.passages.contains(&place) {
                brought.passages.push(place);
            }
        }
        brought
    }

    fn add_hit(&mut self, search: usize, hit: Hit, is_known: bool, brought: &mut SearchYield) -> usize {
        let key = (hit.document.clone(), hit.range.start, hit.range.end);
        if let Some(&known) = self.by_place.get(&key) {
            let passage = &mut self.passages[known];
            passage.hits += 1;
            if passage.found_by.last() != Some(&search) {
                passage.found_by.push(search);
            }
            brought.duplicate += 1;
            return known;
        }
        if !self.numbers.contains_key(&hit.document) {
            self.highest += 1;
            self.numbers.insert(hit.document.clone(), self.highest);
        }
        let shingles = Shingles::new(&hit.text);
        let novelty = novelty(&shingles, self.witnesses().map(|(place, passage)| (place, &passage.shingles)));
        match novelty {
            _ if is_known => brought.duplicate += 1,
            PassageNovelty::New => brought.new += 1,
            PassageNovelty::Related => brought.related += 1,
            PassageNovelty::Duplicate(_) => brought.duplicate += 1,
        }
        if let Some(own) = own_identifier(&hit).filter(|_| !self.own.contains_key(&hit.document)) {
            self.own.insert(hit.document.clone(), own);
        }
        let place = self.passages.len();
        let headings = hit.headings.join(" ");
        let named = entities(&hit.text);
        let opening = named.first().filter(|first| hit.range.start == 0 && first.at <= MOST_BEFORE).map(Entity::key);
        self.passages.push(PooledPassage {
            held: PassageTerms::new(&[&hit.text, &hit.title, &headings]),
            names: named.iter().map(Entity::key).collect(),
            about: [Some(bare_key(&hit.title)), Some(file_key(&hit.document)), opening].into_iter().flatten().collect(),
            shingles,
            worth: 0.0,
            found_by: vec![search],
            hits: 1,
            witness: if let PassageNovelty::Duplicate(of) = novelty { Some(of) } else { None },
            is_led: false,
            hit,
        });
        self.by_place.insert(key, place);
        place
    }

    /// Whether the head of the document with this `identifier` was found.
    pub(super) fn has_head(&self, identifier: &str) -> bool {
        let is_own = |document: &str| self.own(document).is_some_and(|own| key(own) == key(identifier));
        self.passages.iter().any(|passage| passage.hit.range.start == 0 && is_own(&passage.hit.document))
    }

    /// The commonest field names in heads of one family of documents, commonest first; empty if no head was found. Commonest, because a
    /// rare field would attract the few documents that have it.
    pub(super) fn head_fields(&self, of: &str) -> Vec<&str> {
        let is_of = |document: &str| self.own(document).is_some_and(|own| family(own) == of);
        let heads = self.passages.iter().filter(|passage| passage.hit.range.start == 0 && is_of(&passage.hit.document));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut names: Vec<&str> = Vec::new();
        for field in heads.flat_map(|head| fields(&head.hit.text)) {
            if field.name.to_uppercase() != of.to_uppercase() && !names.contains(&field.name) {
                names.push(field.name);
            }
            *counts.entry(field.name).or_default() += 1;
        }
        // Stable: equally common names keep their order in the head.
        names.sort_by_key(|name| std::cmp::Reverse(counts[name]));
        names.truncate(MOST_FIELDS);
        names
    }

    /// Raises the worth of a passage to at least `worth`; never lowers it.
    pub(super) fn raise(&mut self, place: usize, worth: f64) {
        let passage = &mut self.passages[place];
        passage.worth = passage.worth.max(worth);
    }

    /// Raises the worth of every passage of a document to at least `worth`.
    pub(super) fn raise_document(&mut self, document: &str, worth: f64) {
        for passage in self.passages.iter_mut().filter(|passage| passage.hit.document == document) {
            passage.worth = passage.worth.max(worth);
        }
    }

    /// Marks a passage as found by a search for a name that it contains.
    pub(super) fn lead_to(&mut self, place: usize) {
        self.passages[place].is_led = true;
    }

    /// Likeness of two passages, 0 to 1.
    pub(super) fn likeness(&self, a: usize, b: usize) -> f64 {
        self.passages[a].shingles.estimate(&self.passages[b].shingles)
    }

    /// The terms of a passage, and of the next passage of the document if that was found too.
    pub(super) fn with_neighbour(&self, place: usize) -> Vec<&PassageTerms> {
        let hit = &self.passages[place].hit;
        let from = (hit.document.clone(), hit.range.end, 0);
        let next = self.by_place.range(from..).next();
        let next = next.filter(|((document, start, _), _)| *document == hit.document && *start <= hit.range.end + 1);
        let mut found = vec![&self.passages[place].held];
        found.extend(next.map(|(_, next)| &self.passages[*next].held));
        found
    }
}

/// Most bytes before the name that opens a document; leaves room for an article.
const MOST_BEFORE: usize = 5;
/// Most field names used in a query for other heads.
const MOST_FIELDS: usize = 5;

/// The key of a file name without its extension, hyphens and underscores read as spaces.
fn file_key(document: &str) -> String {
    let file = document.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    bare_key(&stem.replace(['_', '-'], " "))
}

/// The key of a title as a text would write it: without a leading article and without a disambiguation in brackets.
fn bare_key(title: &str) -> String {
    let title = title.split(" (").next().unwrap_or(title);
    let named = entities(title);
    let whole = named
        .into_iter()
        .find(|entity| entity.at <= MOST_BEFORE && entity.at + entity.text.len() == title.trim_end().len());
    whole.map_or_else(|| key(title), |entity| entity.key())
}

/// Worth of the passage at `rank` of a list, counted from 0.
pub(super) fn worth_at(rank: usize) -> f64 {
    1.0 / (1.0 + RANK_LOSS * rank as f64)
}

/// A list of passages, best first, with its weight.
#[derive(Debug)]
pub(super) struct Ranking {
    pub(super) weight: f64,
    /// Whether it only finds a step to the answer: such a list does not change the order of other lists' results.
    pub(super) is_step: bool,
    pub(super) passages: Vec<usize>,
}

impl PassagePool {
    /// Raises each passage to the fused worth of its document: the sum of weighted reciprocal ranks over the lists, scaled to 1 for the
    /// best (Cormack, Clarke, Büttcher 2009, with a steeper loss). The rank is that of the document within the list.
    pub(super) fn fuse(&mut self, lists: &[Ranking]) {
        let mut scores: BTreeMap<String, f64> = BTreeMap::new();
        for list in lists.iter().filter(|list| !list.is_step) {
            let mut documents: Vec<&str> = Vec::new();
            for place in &list.passages {
                let document = self.passages[*place].hit.document.as_str();
                if !documents.contains(&document) {
                    *scores.entry(document.to_owned()).or_default() += list.weight * worth_at(documents.len());
                    documents.push(document);
                }
            }
        }
        // Never 0, because the scores are divided by it.
        let best = scores.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        for list in lists {
            for (rank, place) in list.passages.iter().enumerate() {
                let fused = scores.get(&self.passages[*place].hit.document).map(|score| score / best);
                self.raise(*place, fused.unwrap_or(list.weight * worth_at(rank)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::CharRange;

    use super::*;

    fn hit(document: &str, score: f64) -> Hit {
        Hit {
            document: document.to_owned(),
            range: CharRange::new(0, 5),
            text: format!("{document} {document}"),
            score,
            ..Hit::default()
        }
    }

    #[test]
    fn shared_hits_gain_rank_and_light_lists_overtake_no_heavy_one() {
        let mut pool = PassagePool::default();
        let none = KnownDocuments::default();
        let first = pool.add(0, vec![hit("aaaaa", 3.0), hit("bbbbb", 2.0)], &none);
        let second = pool.add(1, vec![hit("ccccc", 3.0), hit("bbbbb", 2.0)], &none);
        let list =
            |brought: &SearchYield, weight| Ranking { weight, is_step: false, passages: brought.passages.clone() };
        pool.fuse(&[list(&first, 1.0), list(&second, 0.3)]);
        let worth: Vec<f64> = (0..3).map(|place| pool.get(place).worth).collect();
        assert!(worth[1] >= worth[0] && worth[0] > worth[2], "{worth:?}");
        assert_eq!((second.new, second.duplicate), (1, 1));
    }

    #[test]
    fn the_order_of_hits_with_equal_scores_does_not_matter() {
        let hits = vec![hit("aaaaa", 1.0), hit("bbbbb", 1.0), hit("ccccc", 2.0)];
        let (mut pool, mut other) = (PassagePool::default(), PassagePool::default());
        let none = KnownDocuments::default();
        pool.add(0, hits.clone(), &none);
        other.add(0, hits.into_iter().rev().collect(), &none);
        let names = |pool: &PassagePool| pool.all().iter().map(|p| p.hit.document.clone()).collect::<Vec<_>>();
        assert_eq!(names(&pool), ["ccccc", "aaaaa", "bbbbb"]);
        assert_eq!(names(&pool), names(&other));
    }
}
