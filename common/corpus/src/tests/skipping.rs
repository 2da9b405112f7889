//! A search that skips finds the same chunks with the same scores as one that sums up every chunk in one window.

use super::*;
use crate::query_words::QueryWords;
use crate::scores::{QueryTerms, named_documents};
use crate::top_chunks::{ScoredNear, TopChunks};
use crate::windows::{Wanted, Windows};

/// A small generator of numbers that only has to spread.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// A word; the first ones are the most frequent.
    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 24] = [
            "python",
            "code",
            "codes",
            "the",
            "of",
            "river",
            "rivers",
            "riverbank",
            "dam",
            "dams",
            "stone",
            "stones",
            "ferry",
            "ferries",
            "metadata",
            "superseded",
            "supersede",
            "template",
            "templates",
            "typing",
            "害虫",
            "防治",
            "虫害",
            "zebra",
        ];
        let most = 1 + self.below(WORDS.len() as u64);
        WORDS[self.below(most) as usize]
    }

    fn words(&mut self, count: u64) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn document(&mut self, number: u64) -> ExtractedText {
        let mut leaves = Vec::new();
        for _ in 0..1 + self.below(6) {
            if self.below(3) == 0 {
                leaves.push(Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, self.words(2)) });
            }
            let count = 5 + self.below(120);
            leaves.push(Leaf::new(BlockKind::Paragraph, self.words(count)));
        }
        let text = CanonicalText::from_leaves(&leaves);
        ExtractedText {
            text: text.as_str().to_owned(),
            blocks: text.blocks().to_vec(),
            title: Some(format!("PEP {}: {}", number % 50, self.words(2))),
            ..ExtractedText::default()
        }
    }
}

/// A corpus of several segments, with removed documents.
fn corpus(dice: &mut Dice) -> (World, Corpus) {
    let world = World::new(&[]);
    let mut documents: BTreeMap<u64, ExtractedText> = BTreeMap::new();
    for round in 0..3 {
        (0..60).for_each(|n| drop(documents.insert(60 * round + n, dice.document(n))));
        documents.retain(|_, _| dice.below(12) > 0);
        let mut update = Update::begin(&world.place, "x").expect("nobody else writes");
        for (number, found) in &documents {
            let stamp = FileStamp { path: format!("{number:03}.txt"), size: 1, mtime_ns: 1 };
            update.read(&stamp, &sha256_hex(found.text.as_bytes()), "txt", found).expect("read");
        }
        update.publish().expect("published");
    }
    let corpus = world.open().expect("published");
    (world, corpus)
}

/// The best chunks with the bits of their scores, ascending chunks.
fn best(corpus: &Corpus, query: &str, documents: &[bool], window: u32, limit: usize) -> Vec<(u32, [u64; 3])> {
    let asked = QueryWords::new(query);
    let terms = QueryTerms::new(corpus, &asked).expect("counted");
    let wanted = Wanted { terms: &terms.scored, named: &named_documents(corpus, query), documents };
    let mut top = TopChunks::new(&corpus.index, limit);
    let mut windows = Windows::new(&corpus.index, &wanted, window);
    for segment in &corpus.index.segments {
        windows.scan(segment, &mut top).expect("scanned");
    }
    let bits = |near: ScoredNear| (near.chunk, [near.own, near.before, near.after].map(f64::to_bits));
    let mut best: Vec<_> = top.into_best().into_iter().map(bits).collect();
    best.sort_unstable();
    best
}

#[test]
fn skipping_changes_neither_the_best_chunks_nor_their_scores() {
    let mut dice = Dice(7);
    for _ in 0..4 {
        let (_world, corpus) = corpus(&mut dice);
        assert!(corpus.index.segments.len() > 1 && corpus.index.segments.iter().any(|segment| !segment.is_whole));
        for n in 0..60 {
            let count = 1 + dice.below(7);
            let name = if n % 3 == 0 { format!("PEP {} ", dice.below(60)) } else { String::new() };
            let query = format!("{name}{}", dice.words(count));
            let documents: Vec<bool> = corpus.documents.iter().map(|_| n % 4 > 0 || dice.below(2) == 0).collect();
            let limit = 1 + dice.below(20) as usize;
            // No floor is reached with the larger limit, so that everything is summed up.
            let all = best(&corpus, &query, &documents, 1 << 14, 1 << 14);
            let mut top = TopChunks::new(&corpus.index, limit);
            all.iter().for_each(|(chunk, bits)| {
                let [own, before, after] = bits.map(f64::from_bits);
                top.offer(ScoredNear { chunk: *chunk, own, before, after });
            });
            let mut expected: Vec<u32> = top.into_best().iter().map(|near| near.chunk).collect();
            expected.sort_unstable();
            let expected: Vec<_> = all.into_iter().filter(|(chunk, _)| expected.binary_search(chunk).is_ok()).collect();
            for window in [16, 64] {
                assert_eq!(
                    best(&corpus, &query, &documents, window, limit),
                    expected,
                    "{query:?}, {limit} of {window}"
                );
            }
        }
    }
}
