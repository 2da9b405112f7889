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

    /// All vectors, if some were made that were not known.
    #[must_use]
    pub fn if_more(self) -> Option<TextVectors> {
        let vectors = self.vectors.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        (vectors.passages.len() > self.known).then_some(vectors)
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
        let name = name(text);
        let known = self.vectors().passages.get(&name).and_then(|kept| STANDARD.decode(kept).ok());
        if let Some(vector) = known.and_then(|bytes| Vector::from_bytes(&bytes)) {
            return Some(vector);
        }
        let made = self.maker.passage(text)?;
        self.vectors().passages.insert(name, STANDARD.encode(made.to_bytes()));
        Some(made)
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
        assert_eq!(vectors.made_use(), MeaningUse { has_compared: true, is_mute: true, is_limited: true });
    }

    #[test]
    fn what_is_no_vector_is_made_again() {
        let maker = Counting::default();
        let broken = TextVectors { passages: BTreeMap::from([(name("a"), "?".to_owned())]) };
        assert_eq!(VectorsOfText::new(&maker, broken).passage("a"), maker.passage("a"));
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
