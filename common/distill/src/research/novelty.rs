//! Detects near-duplicate passages by shared shingles (runs of five characters).

use std::collections::BTreeSet;

use crate::language::words::{Unspaced, split};

/// Characters of a shingle.
const SHINGLE: usize = 5;
/// Least likeness (Jaccard) of a duplicate.
const DUPLICATE: f64 = 0.7;
/// Least likeness of a related passage.
const RELATED: f64 = 0.3;
/// Smallest hashes used to estimate likeness; the standard error is about 0.06 at 0.5.
const KEPT: usize = 64;
/// An estimate this far below [`DUPLICATE`] or closer is checked exactly: about three standard errors.
const DOUBT: f64 = 0.2;

/// Novelty of a passage compared with earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PassageNovelty {
    New,
    /// Similar to an earlier passage.
    Related,
    /// Nearly equal to the passage at this index.
    Duplicate(usize),
}

/// Fingerprint of a text: hashes of its shingles, with its numbers, words and names.
#[derive(Debug, Clone)]
pub(super) struct Shingles {
    /// Ascending, distinct.
    all: Vec<u64>,
    /// Numbers in the text, ascending, distinct. Texts with different numbers are never duplicates, however similar.
    numbers: Vec<String>,
    /// Hashes of its words in lower case, ascending, distinct.
    words: Vec<u64>,
    /// Hashes of the words that are capitalized at least once: names, in a script with capitals.
    names: Vec<u64>,
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
        let words = split(text, Unspaced::Joined, &[]);
        let runs = || words.iter().map(|word| word.text);
        let numbers: BTreeSet<&str> = runs().filter(|run| run.contains(char::is_numeric)).collect();
        let word = |run: &str| hash(&run.chars().flat_map(char::to_lowercase).collect::<Vec<char>>());
        let names: BTreeSet<u64> = runs().filter(|run| run.starts_with(char::is_uppercase)).map(word).collect();
        let words: BTreeSet<u64> = runs().map(word).collect();
        Self {
            all: all.into_iter().collect(),
            numbers: numbers.into_iter().map(str::to_owned).collect(),
            words: words.into_iter().collect(),
            names: names.into_iter().collect(),
        }
    }

    /// Jaccard likeness, estimated from the smallest hashes (bottom-k sketch, Broder 1997).
    pub(super) fn estimate(&self, other: &Self) -> f64 {
        likeness(&self.all, &other.all, KEPT)
    }

    fn repeats(&self, other: &Self) -> bool {
        let is_of_another = self.names_beyond(other) && other.names_beyond(self);
        self.numbers == other.numbers && !is_of_another && self.exact(other) >= DUPLICATE
    }

    /// Whether it has a name that `other` does not contain. If this holds both ways, one name was exchanged for another and the texts are
    /// about two things in the same words; a copy that lost or gained a line has extra names on one side only.
    fn names_beyond(&self, other: &Self) -> bool {
        self.names.iter().any(|name| other.words.binary_search(name).is_err())
    }

    fn exact(&self, other: &Self) -> f64 {
        likeness(&self.all, &other.all, usize::MAX)
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
        // The cheap estimate first: the exact likeness is computed only near the threshold.
        let estimate = new.estimate(old);
        if estimate >= DUPLICATE - DOUBT && new.repeats(old) {
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
            assert!((a.estimate(&b) - a.exact(&b)).abs() < DOUBT, "{shared}");
        }
    }
}
