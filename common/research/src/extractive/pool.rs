//! Ranks sentences by one number made of question match, graph centrality, prior and quality.

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::question::definition;
use precis_evidence::question::query::WeightedQuery;
use precis_text::terms;

use super::graph;
use super::mmr::round_six;
use super::vectors::{Vector, vectors};

/// Most sentences in the graph, preselected by a cheap score. Bounds time, which grows with the square.
const GRAPH_SENTENCES: usize = 1_500;
/// Weights of the worth: match with the question, centrality, prior.
const QUERY_SHARE: f64 = 0.55;
const GRAPH_SHARE: f64 = 0.30;
const PRIOR_SHARE: f64 = 0.15;
/// Share of the title's match that counts for a sentence.
const TITLE_SHARE: f64 = 0.25;
/// Factor for a sentence that gives a definition, if the question asks for one.
const DEFINITION: f64 = 1.35;
/// Factors for the match of a sentence with no, one or two terms of its own.
const NEWS: [f64; 3] = [0.3, 0.5, 0.8];
/// Graph bias of a sentence of full quality that does not match the question.
const BASE_BIAS: f64 = 0.15;

/// A sentence before it is ranked.
#[derive(Debug, Clone)]
pub(super) struct Sentence<'a> {
    /// Its text.
    pub(super) text: &'a str,
    /// The title of its source.
    pub(super) title: &'a str,
    /// Prior relevance, 0 to 1.
    pub(super) prior: f64,
    /// Quality as a sentence, 0 to 1.
    pub(super) quality: f64,
}

/// Ranked sentences, as parallel lists in the order given.
#[derive(Debug)]
pub(super) struct SentencePool<'a> {
    /// The sentences that were kept.
    pub(super) sentences: Vec<Sentence<'a>>,
    /// The tf-idf vector of each.
    pub(super) vectors: Vec<Vector>,
    /// The worth of each, 0 to 1, six decimals.
    pub(super) worth: Vec<f64>,
}

/// Ranks `sentences` for `query`.
pub(super) fn rank<'a>(query: &str, sentences: Vec<Sentence<'a>>) -> SentencePool<'a> {
    let documents: Vec<Vec<String>> = sentences.iter().map(|s| terms::terms(s.text)).collect();
    let titles: BTreeMap<&str, Vec<String>> = sentences
        .iter()
        .map(|s| s.title)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|title| (title, terms::terms(title)))
        .collect();
    let asks_what = definition::is_asked(query);
    let query = WeightedQuery::new(query, &documents);
    let matched: Vec<f64> = sentences
        .iter()
        .zip(&documents)
        .map(|(sentence, terms)| {
            let value = match_score(&query, &titles[sentence.title], terms) * news(&query, terms);
            let answers = asks_what && value > 0.0 && definition::is_given(sentence.text, &|word| query.knows(word));
            if answers { (value * DEFINITION).min(1.0) } else { value }
        })
        .collect();
    let kept = preselect(&sentences, &matched);
    let documents: Vec<Vec<String>> = kept.iter().map(|&i| documents[i].clone()).collect();
    let matched: Vec<f64> = kept.iter().map(|&i| matched[i]).collect();
    let sentences: Vec<Sentence<'a>> = kept.iter().map(|&i| sentences[i].clone()).collect();

    let vectors = vectors(&documents);
    let bias: Vec<f64> =
        sentences.iter().zip(&matched).map(|(s, m)| s.quality * (BASE_BIAS + m + PRIOR_SHARE * s.prior)).collect();
    let central = graph::rank(&vectors, &bias);
    let worth = sentences.iter().zip(&matched).zip(&central).map(|((s, m), c)| worth(s, *m, *c)).collect();
    SentencePool { sentences, vectors, worth }
}

fn worth(sentence: &Sentence<'_>, matched: f64, central: f64) -> f64 {
    let value = QUERY_SHARE * matched + GRAPH_SHARE * central + PRIOR_SHARE * sentence.prior;
    round_six((value * sentence.quality).clamp(0.0, 1.0))
}

/// The match of a sentence with the question, plus a share of what its source's title adds.
fn match_score(query: &WeightedQuery, title: &[String], terms: &[String]) -> f64 {
    let own = query.match_share(terms);
    if title.iter().all(|term| !query.knows(term)) {
        return own;
    }
    let titled: Vec<String> = terms.iter().chain(title).cloned().collect();
    own + TITLE_SHARE * (query.match_share(&titled) - own)
}

/// Factor for a match by the number of other terms in the sentence: one that only repeats the question does not answer it.
fn news(query: &WeightedQuery, terms: &[String]) -> f64 {
    let own: BTreeSet<&String> = terms.iter().filter(|term| !query.knows(term)).collect();
    NEWS.get(own.len()).copied().unwrap_or(1.0)
}

/// Indexes of the sentences for the graph, ascending.
fn preselect(sentences: &[Sentence<'_>], matched: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    if order.len() > GRAPH_SENTENCES {
        let score = |i: usize| round_six(sentences[i].quality * (matched[i] + 0.3 * sentences[i].prior + 0.1));
        order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        order.truncate(GRAPH_SENTENCES);
        order.sort_unstable();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(text: &str) -> Sentence<'_> {
        Sentence { text, title: "", prior: 0.5, quality: 1.0 }
    }

    #[test]
    fn the_question_decides_who_leads() {
        let texts = [
            "Foxes live in deep dens below old trees.",
            "Foxes hunt small mice at night alone.",
            "Whales sing long songs in the open sea.",
        ];
        for (question, leader) in [("where do foxes live", 0), ("when do they hunt", 1), ("do whales sing", 2)] {
            let pool = rank(question, texts.iter().map(|t| sentence(t)).collect());
            let best = (0..3).max_by(|&a, &b| pool.worth[a].total_cmp(&pool.worth[b])).expect("three");
            assert_eq!(best, leader, "{question}");
        }
    }

    #[test]
    fn a_sentence_without_question_terms_ranks_low_but_above_zero() {
        let pool = rank(
            "fox",
            vec![sentence("The fox hunts the old white hen."), sentence("The white hen fears the old night.")],
        );
        assert!(pool.worth[0] > pool.worth[1] && pool.worth[1] > 0.0);
    }

    #[test]
    fn only_so_many_sentences_enter_the_graph_and_they_are_the_best() {
        let texts: Vec<String> = (0..GRAPH_SENTENCES + 2).map(|i| format!("word{i} is here")).collect();
        let pool = rank(&format!("word{}", GRAPH_SENTENCES + 1), texts.iter().map(|t| sentence(t)).collect());
        assert_eq!(pool.sentences.len(), GRAPH_SENTENCES);
        let last = pool.sentences.last().map(|sentence| sentence.text);
        assert_eq!(last, texts.last().map(String::as_str));
    }
}
