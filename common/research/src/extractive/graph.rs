//! LexRank: sentences recommend the sentences they resemble, and the question recommends those that match it.
//!
//! Source: Erkan and Radev, "LexRank: Graph-based Lexical Centrality as Salience in Text Summarization" (JAIR 22, 2004),
//! continuous form with a threshold; the teleport follows the question as in Otterbacher, Erkan and Radev, "Using Random
//! Walks for Question-focused Sentence Retrieval" (HLT/EMNLP 2005).

use super::vectors::Vector;

/// Cosines below this are no edge (value of the paper).
const EDGE: f64 = 0.1;
/// Share of the walk that follows edges; the rest follows the bias. Lower than the paper's 0.85: the question leads.
const DAMPING: f64 = 0.7;
/// Most rounds of the walk; the change shrinks by the damping in each, so that 40 rounds leave less than 1e-6.
const ROUNDS: usize = 40;
/// The walk ends early when no rank moves by more than this.
const TOLERANCE: f64 = 1e-9;

/// Centrality of each vector, 0 to 1, the highest being 1; `bias` holds one non-negative weight for each.
///
/// Costs time and memory in proportion to the edges: bound the number of vectors before calling.
pub(super) fn rank(vectors: &[Vector], bias: &[f64]) -> Vec<f64> {
    let teleport = distribution(bias);
    let edges = edges(vectors);
    let outgoing: Vec<f64> = edges.iter().map(|row| row.iter().map(|(_, weight)| weight).sum()).collect();
    let mut ranks = teleport.clone();
    for _ in 0..ROUNDS {
        let next = walk(&edges, &outgoing, &teleport, &ranks);
        let change = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        ranks = next;
        if change < TOLERANCE {
            break;
        }
    }
    let highest = ranks.iter().copied().fold(0.0, f64::max);
    ranks.iter().map(|rank| if highest > 0.0 { rank / highest } else { 0.0 }).collect()
}

/// One round of the walk. Edges are symmetric, so a row serves for both directions; a sentence without edges returns its share to the bias.
fn walk(edges: &[Vec<(usize, f64)>], outgoing: &[f64], teleport: &[f64], ranks: &[f64]) -> Vec<f64> {
    let stranded: f64 = ranks.iter().zip(outgoing).filter(|(_, out)| **out <= 0.0).map(|(rank, _)| rank).sum();
    edges
        .iter()
        .zip(teleport)
        .map(|(row, jump)| {
            let received: f64 = row.iter().map(|(other, weight)| ranks[*other] * weight / outgoing[*other]).sum();
            (1.0 - DAMPING) * jump + DAMPING * (received + stranded * jump)
        })
        .collect()
}

/// `bias` scaled to sum to one; uniform if it is zero throughout.
fn distribution(bias: &[f64]) -> Vec<f64> {
    let sum: f64 = bias.iter().sum();
    if sum > 0.0 { bias.iter().map(|b| b / sum).collect() } else { vec![1.0 / bias.len().max(1) as f64; bias.len()] }
}

/// For each vector the others it resembles, by index, with the cosine. An inverted index avoids comparing vectors without common terms.
fn edges(vectors: &[Vector]) -> Vec<Vec<(usize, f64)>> {
    let terms =
        vectors.iter().filter_map(|v| v.weights().last()).map(|(term, _)| *term as usize + 1).max().unwrap_or(0);
    let mut postings: Vec<Vec<(usize, f64)>> = vec![Vec::new(); terms];
    for (position, vector) in vectors.iter().enumerate() {
        for (term, weight) in vector.weights() {
            postings[*term as usize].push((position, *weight));
        }
    }
    let mut sums = vec![0.0; vectors.len()];
    let row = |(position, vector): (usize, &Vector)| {
        sums.fill(0.0);
        for (term, weight) in vector.weights() {
            for (other, other_weight) in &postings[*term as usize] {
                sums[*other] += weight * other_weight;
            }
        }
        let found = sums.iter().enumerate().filter(|(other, cosine)| *other != position && **cosine >= EDGE);
        found.map(|(other, cosine)| (other, *cosine)).collect()
    };
    vectors.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::vectors::vectors;
    use super::*;

    fn ranked(texts: &[&str], bias: &[f64]) -> Vec<f64> {
        let documents: Vec<Vec<String>> = texts.iter().map(|t| t.split(' ').map(str::to_owned).collect()).collect();
        rank(&vectors(&documents), bias)
    }

    #[test]
    fn the_sentence_that_resembles_most_others_leads() {
        let ranks = ranked(&["red fox den", "red fox", "fox den", "blue whale"], &[1.0; 4]);
        assert_eq!(ranks[0], 1.0);
        assert!(ranks[3] < ranks[1]);
    }

    #[test]
    fn the_bias_lifts_what_it_points_at_and_its_neighbours() {
        let ranks = ranked(&["red fox", "red hen", "blue whale", "blue sea"], &[0.0, 0.0, 1.0, 0.0]);
        assert_eq!(ranks[2], 1.0);
        assert!(ranks[3] > ranks[0]);
    }

    #[test]
    fn twins_rank_alike_and_nothing_gives_nothing() {
        let ranks = ranked(&["red fox", "red fox", "red fox den"], &[0.0; 3]);
        assert_eq!(ranks[0], ranks[1]);
        assert!(rank(&[], &[]).is_empty());
    }
}
