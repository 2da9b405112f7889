//! A byte-pair vocabulary that fits into a few megabytes. Most pieces of a text are a single token, found by one look-up; other pieces are
//! merged here. The library counts very long pieces, and also long ones (as in scripts without spaces) once there were many of them: it is
//! three times as fast there. But its automata take fifty megabytes and a second to build, and as much space in a program that embeds
//! them, so they are built from the same tokens only when needed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};

use bpe::byte_pair_encoding::BytePairEncoding;

use super::merge::{Merger, NO_TOKEN};
use super::pieces::PieceSplitter;

/// Most bytes of a piece merged here. Merging looks at every pair after each merge; the library's cost is linear.
const MAX_MERGED_BYTES: usize = 8_192;
/// Most bytes of a piece that is always merged here.
const SHORT_BYTES: usize = 24;
/// Steps (squared lengths in bytes of longer pieces) that take about as long as building the library's automata: after so many, the
/// library is used.
const LIBRARY_PAYS_STEPS: u64 = 1 << 31;
/// A factor for the library's hash that gives no collision between tokens of either vocabulary; the library rejects others.
const LIBRARY_HASH_FACTOR: u64 = 17_846_336_922_010_275_747;

/// Bits of an entry that hold the token id; the others exclude most wrong entries without comparing bytes.
const ID_BITS: u32 = 18;
const EMPTY: u32 = u32::MAX;

pub(super) static O200K: LazyLock<TokenVocabulary> = LazyLock::new(|| {
    // OpenAI's pattern; its look-ahead is replaced by a character that the splitter leaves for the next piece.
    let words = [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+$",
    ];
    TokenVocabulary::new(include_bytes!("o200k_base.tokens"), &words.join("|"))
});

pub(super) static CL100K: LazyLock<TokenVocabulary> = LazyLock::new(|| {
    let words = [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+$",
    ];
    TokenVocabulary::new(include_bytes!("cl100k_base.tokens"), &words.join("|"))
});

/// Tokens by their bytes; the id of a token is also its merge rank.
pub(super) struct TokenVocabulary {
    /// The bytes of all tokens in order of rank, each preceded by its length.
    tokens: &'static [u8],
    /// Start of each token's bytes.
    starts: Vec<u32>,
    /// Hash table with open addressing: each entry holds a token id in the low [`ID_BITS`] bits and a part of its hash above.
    table: Vec<u32>,
    /// The rank of every pair of bytes, or [`NO_TOKEN`].
    pairs: Vec<u32>,
    splitter: PieceSplitter,
    /// The library's counter for the same tokens; built on first use.
    library: OnceLock<BytePairEncoding>,
    /// Sum of squared lengths of the long pieces merged here so far.
    merged_steps: AtomicU64,
}

impl TokenVocabulary {
    /// `words` is the pattern of pieces without the white space rules, which both vocabularies share.
    fn new(tokens: &'static [u8], words: &str) -> Self {
        let mut starts = Vec::new();
        let mut at = 0;
        while let Some(length) = tokens.get(at) {
            starts.push(u32::try_from(at + 1).expect("a few megabytes"));
            at += 1 + usize::from(*length);
        }
        let mut vocabulary = Self {
            tokens,
            table: vec![EMPTY; (starts.len() * 2).next_power_of_two()],
            pairs: vec![NO_TOKEN; 1 << 16],
            starts,
            splitter: PieceSplitter::new(words),
            library: OnceLock::new(),
            merged_steps: AtomicU64::new(0),
        };
        for id in 0..u32::try_from(vocabulary.starts.len()).expect("below two to the eighteenth") {
            vocabulary.enter(id);
        }
        vocabulary
    }

    /// Tokens of `text`.
    pub(super) fn count(&self, text: &str) -> u64 {
        let mut merger = Merger::default();
        let pieces = self.splitter.split(text).map(str::as_bytes);
        pieces.map(|piece| self.count_piece(piece, &mut merger)).sum()
    }

    fn count_piece(&self, piece: &[u8], merger: &mut Merger) -> u64 {
        if self.rank(piece).is_some() {
            return 1;
        }
        let tokens = if self.is_merged_here(piece.len()) {
            merger.count(piece, |bytes| match bytes {
                [left, right] => self.pairs[pair(*left, *right)],
                _ => self.rank(bytes).unwrap_or(NO_TOKEN),
            })
        } else {
            self.library.get_or_init(|| self.make_library()).count(piece)
        };
        tokens as u64
    }

    fn is_merged_here(&self, bytes: usize) -> bool {
        let steps = (bytes * bytes) as u64;
        // Relaxed is enough: both methods give the same count, so a stale value only costs time.
        let is_cheap = || self.merged_steps.fetch_add(steps, Ordering::Relaxed) < LIBRARY_PAYS_STEPS;
        bytes <= SHORT_BYTES || (bytes <= MAX_MERGED_BYTES && is_cheap())
    }

    fn make_library(&self) -> BytePairEncoding {
        let ids = 0..u32::try_from(self.starts.len()).expect("below two to the eighteenth");
        BytePairEncoding::from_dictionary(ids.map(|id| self.token(id).to_vec()), Some(LIBRARY_HASH_FACTOR))
    }

    /// The rank of the token with the given bytes.
    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        let (mut slot, tag) = self.place(bytes);
        loop {
            let entry = self.table[slot];
            if entry == EMPTY {
                return None;
            }
            let id = entry & ((1 << ID_BITS) - 1);
            if entry >> ID_BITS == tag && self.token(id) == bytes {
                return Some(id);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    fn enter(&mut self, id: u32) {
        let (mut slot, tag) = self.place(self.token(id));
        while self.table[slot] != EMPTY {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        self.table[slot] = tag << ID_BITS | id;
        if let [left, right] = self.token(id) {
            self.pairs[pair(*left, *right)] = id;
        }
    }

    fn token(&self, id: u32) -> &'static [u8] {
        let start = self.starts[id as usize] as usize;
        &self.tokens[start..start + usize::from(self.tokens[start - 1])]
    }

    /// The first slot to try, and the part of the hash stored in an entry.
    fn place(&self, bytes: &[u8]) -> (usize, u32) {
        let hash = hash(bytes);
        ((hash >> 32) as usize & (self.table.len() - 1), (hash as u32) >> ID_BITS)
    }
}

fn pair(left: u8, right: u8) -> usize {
    usize::from(left) << 8 | usize::from(right)
}

/// Multiplies and folds, eight bytes at a time. Needs no flooding protection: the table holds the vocabulary alone.
fn hash(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15_u128;
        (product as u64) ^ ((product >> 64) as u64)
    };
    let mut words = bytes.chunks_exact(8);
    let mut hash = bytes.len() as u64;
    for word in &mut words {
        hash = fold(hash, u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
    let rest = words.remainder().iter().rev().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
    fold(fold(hash, rest), 0)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Checks each vocabulary against the library's, token by token. `PRECIS_BLESS=1` rewrites the files from it.
    #[test]
    fn the_vocabularies_are_the_library_s() {
        for (name, library) in [("o200k_base", bpe_openai::o200k_base()), ("cl100k_base", bpe_openai::cl100k_base())] {
            let ids = 0..u32::try_from(library.bpe.num_tokens()).expect("small");
            let tokens = ids.map(|id| library.bpe.token_bytes(id));
            let expected: Vec<u8> = tokens
                .flat_map(|bytes| std::iter::once(u8::try_from(bytes.len()).expect("short")).chain(bytes.to_vec()))
                .collect();
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/tokens/{name}.tokens"));
            if std::env::var_os("PRECIS_BLESS").is_some() {
                std::fs::write(&path, &expected).expect("written");
            }
            assert!(std::fs::read(&path).expect("checked in") == expected, "{name} is not the library's");
        }
    }

    #[test]
    fn each_token_is_found_by_its_bytes() {
        for vocabulary in [&*O200K, &*CL100K] {
            for id in 0..vocabulary.starts.len() as u32 {
                assert_eq!(vocabulary.rank(vocabulary.token(id)), Some(id));
            }
            assert_eq!(vocabulary.rank(b""), None);
            assert_eq!(vocabulary.rank("no such token".repeat(30).as_bytes()), None);
        }
    }

    fn agree(text: &str) {
        assert_eq!(O200K.count(text), bpe_openai::o200k_base().count(text) as u64, "o200k: {text:?}");
        assert_eq!(CL100K.count(text), bpe_openai::cl100k_base().count(text) as u64, "cl100k: {text:?}");
    }

    #[test]
    fn the_library_checks_too_long_texts_and_later_long_ones() {
        let vocabulary = TokenVocabulary::new(include_bytes!("cl100k_base.tokens"), r"\S+");
        assert!(!vocabulary.is_merged_here(MAX_MERGED_BYTES + 1) && vocabulary.is_merged_here(MAX_MERGED_BYTES));
        assert_eq!(vocabulary.count("a b"), 3);
        assert!(vocabulary.library.get().is_none(), "it is made for nothing");
        let pieces = LIBRARY_PAYS_STEPS / (MAX_MERGED_BYTES * MAX_MERGED_BYTES) as u64;
        assert!((1..pieces).all(|_| vocabulary.is_merged_here(MAX_MERGED_BYTES)));
        assert!(!vocabulary.is_merged_here(SHORT_BYTES + 1) && vocabulary.is_merged_here(SHORT_BYTES));
        let long = "x".repeat(SHORT_BYTES + 1);
        assert_eq!(vocabulary.count(&long), bpe_openai::cl100k_base().count(&long) as u64);
        assert!(vocabulary.library.get().is_some());
    }

    #[test]
    fn a_piece_is_counted_alike_on_both_sides_of_each_limit() {
        for stem in ["a", "ab", "zq", "字", "ا", " ", "=", "🧑‍🚀", "e\u{301}", "Aa"] {
            for bytes in [SHORT_BYTES, MAX_MERGED_BYTES, 3 * MAX_MERGED_BYTES].into_iter().flat_map(|n| n - 1..=n + 1) {
                agree(&stem.repeat(bytes / stem.len()));
                agree(&format!("x{}", stem.repeat(bytes.div_ceil(stem.len()))));
            }
        }
    }
}
