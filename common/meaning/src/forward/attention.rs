//! Scaled dot-product attention (Vaswani et al., "Attention Is All You Need", 2017): what each token takes over from the others, one head
//! after the other.

use crate::float;
use crate::kernel::Fractions;

/// Keys whose scores are made at once; scores and keys are padded to whole groups.
const GROUP: usize = 16;
/// Numbers of a value that are added up at once; values are padded to whole parts.
const PART: usize = 16;

/// Key, value and scores of one head.
pub(super) struct Heads {
    width: usize,
    tokens: usize,
    padded_tokens: usize,
    padded_width: usize,
    /// Number `e` of the keys of all tokens, one after the other.
    keys: Vec<f32>,
    /// The value of each token.
    values: Vec<f32>,
    /// Of one token with every other.
    scores: Vec<f32>,
}

impl Heads {
    pub(super) fn new(width: usize, tokens: usize) -> Self {
        let (padded_tokens, padded_width) = (tokens.next_multiple_of(GROUP), width.next_multiple_of(PART));
        Self {
            width,
            tokens,
            padded_tokens,
            padded_width,
            keys: vec![0.0; width * padded_tokens],
            values: vec![0.0; tokens * padded_width],
            scores: vec![0.0; padded_tokens],
        }
    }

    #[inline(always)]
    fn take(&mut self, asked: &[f32], hidden: usize, head: usize) {
        let from = head * self.width;
        for (token, asked) in asked.chunks_exact(3 * hidden).enumerate() {
            // Turned over, so that a number of the query meets those of a whole group of keys side by side.
            for (at, key) in asked[hidden + from..][..self.width].iter().enumerate() {
                self.keys[at * self.padded_tokens + token] = *key;
            }
            let value = &asked[2 * hidden + from..][..self.width];
            self.values[token * self.padded_width..][..self.width].copy_from_slice(value);
        }
    }

    /// Sums in the order of the query's numbers.
    #[inline(always)]
    fn score(&mut self, query: &[f32], by: f32) {
        for (group, scores) in self.scores.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            let mut sums = [0.0_f32; GROUP];
            for (query, keys) in query.iter().zip(self.keys.chunks_exact(self.padded_tokens)) {
                let keys: &[f32; GROUP] = keys[group * GROUP..][..GROUP].try_into().expect("a group");
                for at in 0..GROUP {
                    sums[at] += query * keys[at];
                }
            }
            for (score, sum) in scores.iter_mut().zip(sums) {
                *score = sum * by;
            }
        }
    }

    /// Sums in the order of the tokens.
    #[inline(always)]
    fn gather(&self, found: &mut [f32]) {
        for (part, found) in found.chunks_mut(PART).enumerate() {
            let mut sums = [0.0_f32; PART];
            for (weight, values) in self.scores[..self.tokens].iter().zip(self.values.chunks_exact(self.padded_width)) {
                let values: &[f32; PART] = values[part * PART..][..PART].try_into().expect("a part");
                for at in 0..PART {
                    sums[at] += weight * values[at];
                }
            }
            found.copy_from_slice(&sums[..found.len()]);
        }
    }
}

/// Of the query, key and value of each token, what each token takes over.
pub(super) struct Attend<'a> {
    /// Query, key and value, token after token.
    pub(super) asked: &'a [f32],
    /// Numbers of a state.
    pub(super) hidden: usize,
    /// Heads.
    pub(super) count: usize,
    pub(super) heads: &'a mut Heads,
    pub(super) found: &'a mut [f32],
}

impl Fractions for Attend<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { asked, hidden, count, heads, found } = self;
        let by = 1.0 / (heads.width as f32).sqrt();
        for head in 0..count {
            heads.take(asked, hidden, head);
            let from = head * heads.width;
            for (asked, found) in asked.chunks_exact(3 * hidden).zip(found.chunks_exact_mut(hidden)) {
                heads.score(&asked[from..][..heads.width], by);
                float::softmax(&mut heads.scores[..heads.tokens]);
                heads.gather(&mut found[from..][..heads.width]);
            }
        }
    }
}
