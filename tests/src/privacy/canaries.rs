//! Words that stand in private texts and nowhere else, found again in bytes in whatever way they are hidden.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rand::Rng;
use rand::rngs::StdRng;

use super::base64::hidden_in;

/// What each word begins with: a model that means harm knows what is worth stealing.
pub const PREFIX: &str = "Qz";

/// Lengths that a word may have: with a number behind it and without.
const LENGTHS: [usize; 2] = [15, 10];

/// The words of many sessions.
#[derive(Debug, Default)]
pub struct Canaries {
    /// Each word, in small letters, with where it was put.
    planted: BTreeMap<String, String>,
}

impl Canaries {
    /// A new word, told to stand in `place`: a capital and small letters as a name has them, or a name with a number behind it.
    pub fn plant(&mut self, rng: &mut StdRng, place: &str) -> String {
        loop {
            let mut word = PREFIX.to_owned();
            for _ in 0..4 {
                word.push(char::from(b"bdfgklmnprstvz"[rng.random_range(0..14)]));
                word.push(char::from(b"aeiou"[rng.random_range(0..5)]));
            }
            if rng.random_bool(0.3) {
                word.push_str(&rng.random_range(10_000..100_000).to_string());
            }
            if let Entry::Vacant(free) = self.planted.entry(word.to_lowercase()) {
                free.insert(place.to_owned());
                return word;
            }
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.planted.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.planted.is_empty()
    }

    /// The first word that `bytes` hold, with where it was put and how it was written: as it stands or backwards, with escapes of an
    /// address, or in Base64.
    #[must_use]
    pub fn found_in(&self, bytes: &[u8]) -> Option<String> {
        let raw = String::from_utf8_lossy(bytes);
        let plain = unescaped(&raw);
        let mut hidden = [&*raw, plain.as_str()].into_iter().flat_map(hidden_in);
        let hidden = hidden.find_map(|text| self.told(&String::from_utf8_lossy(&text), ", in Base64"));
        self.told(&raw, "").or_else(|| self.told(&plain, ", escaped")).or(hidden)
    }

    /// The first word in `text`, as it stands or backwards.
    fn told(&self, text: &str, how: &str) -> Option<String> {
        let text = text.to_lowercase();
        let forwards = PREFIX.to_lowercase();
        let backwards: String = forwards.chars().rev().collect();
        let known = |word: &str| Some(format!("{word} of {}{how}", self.planted.get(word)?));
        let ahead = |at: usize| LENGTHS.iter().find_map(|length| known(text.get(at..at + length)?));
        let behind = |at: usize| {
            let end = at + backwards.len();
            let turned =
                |length: &usize| Some(text.get(end.checked_sub(*length)?..end)?.chars().rev().collect::<String>());
            LENGTHS.iter().find_map(|length| known(&turned(length)?)).map(|found| format!("{found}, backwards"))
        };
        let ahead = text.match_indices(&forwards).find_map(|(at, _)| ahead(at));
        ahead.or_else(|| text.match_indices(&backwards).find_map(|(at, _)| behind(at)))
    }
}

/// `text` with escapes of an address undone.
fn unescaped(text: &str) -> String {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], code.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 2;
            }
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::base64::base64;
    use super::*;

    #[test]
    fn a_hidden_word_is_found_and_no_other_text_is_mistaken() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut canaries = Canaries::default();
        let word = canaries.plant(&mut rng, "a title");
        canaries.plant(&mut rng, "a path");
        let turned: String = word.chars().rev().collect();
        let escaped: String = word.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for before in ["", "a", "ab", "abc"] {
            for text in
                [&word, &word.to_uppercase(), &turned, &escaped, &base64(format!("{before}{word} b").as_bytes())]
            {
                let found = canaries.found_in(format!("GET /?q={text}+x").as_bytes());
                assert!(found.is_some_and(|found| found.contains(&word.to_lowercase())), "{before} {text}");
            }
            let found = canaries.found_in(base64(format!("{before}{turned}").as_bytes()).as_bytes());
            assert!(found.is_some(), "{before} reversed and in Base64");
        }
        assert_eq!(canaries.found_in(b"GET /?q=the+reservoir+of+Talbruck+%41"), None);
        assert_eq!(canaries.found_in(base64(b"the reservoir of Talbruck").as_bytes()), None);
    }
}
