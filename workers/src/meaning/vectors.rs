//! The vectors of one text: each is made once, and kept with the text's hash for the next question.

use std::collections::BTreeMap;
use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use precis_evidence::meaning::{Meaning, Vector};
use precis_proto::ids::sha256_hex;
use serde::{Deserialize, Serialize};

/// Letters of a passage's hash that name it among those of its text.
const NAME_LETTERS: usize = 32;

/// The vectors of a text as they are kept: by the hash of each passage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextVectors {
    passages: BTreeMap<String, String>,
}

impl TextVectors {
    /// Those of passages that are known with their vectors.
    #[must_use]
    pub fn of(known: &[(String, Vec<u8>)]) -> Self {
        let named = known.iter().map(|(text, vector)| (name(text), STANDARD.encode(vector)));
        Self { passages: named.collect() }
    }
}

/// The name of a passage among those of its text.
fn name(text: &str) -> String {
    sha256_hex(text.as_bytes())[..NAME_LETTERS].to_owned()
}

/// Gives the vectors that are known, and makes the others.
#[derive(Debug)]
pub struct VectorsOfText<'a> {
    maker: &'a dyn Meaning,
    vectors: Mutex<TextVectors>,
    known: usize,
    made_use: Mutex<MeaningUse>,
}

/// What a job used of a model of meaning for one text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeaningUse {
    /// The question had a vector.
    pub has_compared: bool,
    /// A passage had a vector.
    pub has_passage: bool,
    /// The question had none, so that words alone decided.
    pub is_mute: bool,
    /// Some passages had none, because only so many may.
    pub is_limited: bool,
}

impl<'a> VectorsOfText<'a> {
    /// What is `kept` may be anything: what is no vector is made again.
    #[must_use]
    pub fn new(maker: &'a dyn Meaning, kept: TextVectors) -> Self {
        let known = kept.passages.len();
        Self { maker, vectors: Mutex::new(kept), known, made_use: Mutex::default() }
    }

    /// What was used so far.
    #[must_use]
    pub fn made_use(&self) -> MeaningUse {
        *self.made_use.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn note(&self, of: impl FnOnce(&mut MeaningUse)) {
        of(&mut self.made_use.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    fn note_passages(&self, found: &[Option<Vector>]) {
        if found.iter().any(Option::is_some) {
            self.note(|used| used.has_passage = true);
        }
    }

    /// All vectors, if some were made that were not known.
    #[must_use]
    pub fn if_more(self) -> Option<TextVectors> {
        let vectors = self.vectors.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        (vectors.passages.len() > self.known).then_some(vectors)
    }

    /// The vector of a passage that was made before.
    fn known(&self, text: &str) -> Option<Vector> {
        let kept = self.vectors().passages.get(&name(text)).and_then(|kept| STANDARD.decode(kept).ok())?;
        Vector::from_bytes(&kept)
    }

    fn vectors(&self) -> std::sync::MutexGuard<'_, TextVectors> {
        self.vectors.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Meaning for VectorsOfText<'_> {
    fn key(&self) -> &str {
        self.maker.key()
    }

    fn query(&self, text: &str) -> Option<Vector> {
        let vector = self.maker.query(text);
        match vector {
            Some(_) => self.note(|used| used.has_compared = true),
            None => self.note(|used| used.is_mute = true),
        }
        vector
    }

    fn left_some_to_words(&self) {
        self.note(|used| used.is_limited = true);
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.passages(&[text]).pop().flatten()
    }

    fn passages(&self, texts: &[&str]) -> Vec<Option<Vector>> {
        let mut found: Vec<Option<Vector>> = texts.iter().map(|text| self.known(text)).collect();
        // Each text once: equal passages have one name.
        let mut lacking: Vec<&str> =
            texts.iter().zip(&found).filter(|(_, own)| own.is_none()).map(|(t, _)| *t).collect();
        lacking.sort_unstable();
        lacking.dedup();
        if lacking.is_empty() {
            self.note_passages(&found);
            return found;
        }
        for (text, made) in lacking.iter().zip(self.maker.passages(&lacking)) {
            if let Some(made) = made {
                self.vectors().passages.insert(name(text), STANDARD.encode(made.to_bytes()));
            }
        }
        for (own, text) in found.iter_mut().zip(texts).filter(|(own, _)| own.is_none()) {
            *own = self.known(text);
        }
        self.note_passages(&found);
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    impl Meaning for Counting {
        fn key(&self) -> &str {
            "counting"
        }

        fn query(&self, text: &str) -> Option<Vector> {
            (!text.is_empty()).then(|| Vector::from_unit(&[1.0, 0.0]))
        }

        fn passage(&self, text: &str) -> Option<Vector> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Some(Vector::from_unit(&[text.len() as f32, 1.0]))
        }
    }

    #[test]
    fn a_vector_is_made_once_and_kept() {
        let maker = Counting::default();
        let first = VectorsOfText::new(&maker, TextVectors::default());
        let vector = first.passage("a passage");
        assert_eq!(first.passage("a passage"), vector);
        let kept = first.if_more().expect("one was made");
        let read: TextVectors =
            serde_json::from_slice(&serde_json::to_vec(&kept).expect("JSON")).expect("the same as written");
        let second = VectorsOfText::new(&maker, read);
        assert_eq!(second.passage("a passage"), vector);
        assert_eq!(second.if_more(), None);
        assert_eq!(maker.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn it_knows_what_was_used_of_it() {
        let maker = Counting::default();
        let vectors = VectorsOfText::new(&maker, TextVectors::default());
        assert_eq!(vectors.made_use(), MeaningUse::default());
        let _ = (vectors.query("a question"), vectors.query(""));
        vectors.left_some_to_words();
        assert_eq!(
            vectors.made_use(),
            MeaningUse { has_compared: true, has_passage: false, is_mute: true, is_limited: true }
        );
        let _ = vectors.passage("a passage");
        assert!(vectors.made_use().has_passage);
    }

    #[test]
    fn what_is_no_vector_is_made_again() {
        let maker = Counting::default();
        let broken = TextVectors { passages: BTreeMap::from([(name("a"), "?".to_owned())]) };
        assert_eq!(VectorsOfText::new(&maker, broken).passage("a"), maker.passage("a"));
    }

    #[test]
    fn what_is_lacking_is_asked_for_at_once_and_each_text_once() {
        #[derive(Debug, Default)]
        struct AtOnce(Mutex<Vec<Vec<String>>>);

        impl Meaning for AtOnce {
            fn key(&self) -> &str {
                "at once"
            }

            fn query(&self, _: &str) -> Option<Vector> {
                None
            }

            fn passage(&self, _: &str) -> Option<Vector> {
                unreachable!("all are asked for at once")
            }

            fn passages(&self, texts: &[&str]) -> Vec<Option<Vector>> {
                self.0.lock().expect("one thread").push(texts.iter().map(|text| (*text).to_owned()).collect());
                texts.iter().map(|text| (*text != "mute").then(|| Vector::from_unit(&[text.len() as f32]))).collect()
            }
        }

        let maker = AtOnce::default();
        let known = TextVectors::of(&[("b".to_owned(), Vector::from_unit(&[1.0]).to_bytes())]);
        let vectors = VectorsOfText::new(&maker, known);
        let found = vectors.passages(&["ccc", "b", "a", "mute", "ccc"]);
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, true, false, true]);
        assert_eq!((&found[0], &found[1]), (&found[4], &Some(Vector::from_unit(&[1.0]))));
        assert_eq!(*maker.0.lock().expect("one thread"), [["a", "ccc", "mute"]]);
    }

    #[test]
    fn vectors_that_came_with_a_text_are_not_made() {
        let maker = Counting::default();
        let of = Vector::from_unit(&[0.6, 0.8]);
        let known = TextVectors::of(&[("a passage".to_owned(), of.to_bytes())]);
        assert_eq!(VectorsOfText::new(&maker, known).passage("a passage"), Some(of));
        assert_eq!(maker.0.load(Ordering::Relaxed), 0);
    }
}
