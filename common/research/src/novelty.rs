//! Detects passages found before, and related ones by shared shingles (runs of five characters).
//!
//! Only a passage in the same words was found before: one that differs in a single word may say the opposite and must be read.

use std::collections::BTreeSet;

use precis_language::words::lower_words;

/// Characters of a shingle.
const SHINGLE: usize = 5;
/// Least likeness (Jaccard) of a duplicate. A passage that contains the words of another and far more besides is not one.
const DUPLICATE: f64 = 0.5;
/// Least likeness of a related passage.
const RELATED: f64 = 0.3;
/// Smallest hashes used to estimate likeness; the standard error is about 0.06 at 0.5.
const KEPT: usize = 64;

/// Novelty of a passage compared with earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PassageNovelty {
    New,
    /// Similar to an earlier passage.
    Related,
    /// In the same words as the passage at this index, or with some before or behind them, or without some of these.
    Duplicate(usize),
}

/// Fingerprint of a text: hashes of its shingles, and its words.
#[derive(Debug, Clone)]
pub(super) struct Shingles {
    /// Ascending, distinct.
    all: Vec<u64>,
    /// Its words in order, lower case, between spaces.
    words: String,
}

impl Shingles {
    /// Computes the fingerprint of `text`, reduced to lower-case letters and digits with single spaces. A text shorter than a shingle is
    /// one shingle.
    pub(super) fn new(text: &str) -> Self {
        let mut chars: Vec<char> = Vec::with_capacity(text.len());
        for c in text.chars() {
            if c.is_alphanumeric() {
                chars.extend(c.to_lowercase());
            } else if chars.last().is_some_and(|last| *last != ' ') {
                chars.push(' ');
            }
        }
        let all: BTreeSet<u64> =
            if chars.len() < SHINGLE { [hash(&chars)].into() } else { chars.windows(SHINGLE).map(hash).collect() };
        Self { all: all.into_iter().collect(), words: format!(" {} ", lower_words(text).join(" ")) }
    }

    /// Jaccard likeness, estimated from the smallest hashes (bottom-k sketch, Broder 1997).
    pub(super) fn estimate(&self, other: &Self) -> f64 {
        likeness(&self.all, &other.all, KEPT)
    }

    fn repeats(&self, other: &Self) -> bool {
        self.words.contains(&other.words) || other.words.contains(&self.words)
    }
}

/// FNV-1a with a final bit mix, so that the smallest hashes are a uniform sample.
fn hash(chars: &[char]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for c in chars {
        hash = (hash ^ u64::from(u32::from(*c))).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

/// Share of common hashes among the `most` smallest of the union of `a` and `b`, both ascending.
fn likeness(a: &[u64], b: &[u64], most: usize) -> f64 {
    let (mut at, mut bt, mut all, mut common) = (0, 0, 0_usize, 0_usize);
    while all < most && (at < a.len() || bt < b.len()) {
        let (x, y) = (a.get(at), b.get(bt));
        let order = match (x, y) {
            (Some(x), Some(y)) => x.cmp(y),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        at += usize::from(order.is_le());
        bt += usize::from(order.is_ge());
        common += usize::from(order.is_eq());
        all += 1;
    }
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// Novelty of `new` compared with `before`: a duplicate of the first passage it repeats, else related if similar to any.
pub(super) fn novelty<'s>(new: &Shingles, before: impl Iterator<Item = (usize, &'s Shingles)>) -> PassageNovelty {
    let mut found = PassageNovelty::New;
    for (place, old) in before {
        // The cheap estimate first.
        let estimate = new.estimate(old);
        if estimate >= DUPLICATE && new.repeats(old) {
            return PassageNovelty::Duplicate(place);
        }
        if estimate >= RELATED {
            found = PassageNovelty::Related;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "Granite cools slowly below the surface, and its crystals grow large enough to be seen with the naked eye.";

    #[test]
    fn a_passage_is_a_duplicate_related_or_new() {
        let longer = format!("{TEXT} Basalt does not.");
        let half = "Granite cools slowly below the surface, and its crystals grow for years, as many a student of rocks has learned early.";
        for (text, want) in [
            (TEXT, PassageNovelty::Duplicate(0)),
            (longer.as_str(), PassageNovelty::Duplicate(0)),
            (&TEXT.to_uppercase().replace(' ', "\n"), PassageNovelty::Duplicate(0)),
            (&TEXT.replace("slowly", "quickly"), PassageNovelty::Related),
            (&TEXT.replace("large enough", "not large enough"), PassageNovelty::Related),
            (half, PassageNovelty::Related),
            (&TEXT.replace("cools", "cools 7"), PassageNovelty::Related),
            (&TEXT.replace("Granite", "Gabbro"), PassageNovelty::Related),
            (&format!("Basalt. {TEXT}"), PassageNovelty::Duplicate(0)),
            ("A treaty was signed in the spring of that year.", PassageNovelty::New),
            ("", PassageNovelty::New),
        ] {
            let before = Shingles::new(TEXT);
            assert_eq!(novelty(&Shingles::new(text), [(0, &before)].into_iter()), want, "{text}");
        }
        assert_eq!(novelty(&Shingles::new(""), std::iter::empty()), PassageNovelty::New);
    }

    #[test]
    fn the_estimate_is_near_the_likeness() {
        let words: Vec<String> = (0..80).map(|n| format!("w{}", n * 7919 % 1000)).collect();
        for shared in [0, 20, 40, 60, 80] {
            let other: Vec<String> =
                words.iter().enumerate().map(|(n, w)| if n < shared { w.clone() } else { format!("x{n}y") }).collect();
            let (a, b) = (Shingles::new(&words.join(" ")), Shingles::new(&other.join(" ")));
            let exact = likeness(&a.all, &b.all, usize::MAX);
            assert!((a.estimate(&b) - exact).abs() < 0.2, "{shared}");
        }
    }
}
