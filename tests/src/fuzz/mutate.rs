//! Wrong inputs out of good ones: bytes, pieces and tokens changed, and values of JSON exchanged for the ones that hurt.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Largest input, in bytes. Larger ones are tried by tests of limits.
const MOST_BYTES: usize = 64 * 1024;
/// Most changes of one input.
const MOST_CHANGES: u32 = 6;
/// Pieces of text that parsers take for more than text.
const TOKENS: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\u0000",
    "\\ud800",
    "\u{202e}",
    "\u{e0041}",
    "\u{9b}",
    "null",
    "-0",
    "1e999",
    "NaN",
    "18446744073709551616",
    "sha256:",
    "char:0-18446744073709551615",
    "page:0:char:5-1",
    "<think>",
    "```json",
    "[1]",
    "## Sources",
    "“a b c d”",
    "91",
    "\r\n",
    "\u{feff}",
];

/// Makes inputs, always the same for a seed and a corpus.
#[derive(Debug)]
pub struct Mutator {
    rng: StdRng,
    corpus: Vec<Vec<u8>>,
}

impl Mutator {
    /// Of good inputs; an empty corpus is one empty input.
    #[must_use]
    pub fn new(seed: u64, corpus: Vec<Vec<u8>>) -> Self {
        let corpus = if corpus.is_empty() { vec![Vec::new()] } else { corpus };
        Self { rng: StdRng::seed_from_u64(seed), corpus }
    }

    /// The next input. Half of them are still JSON where the good one was.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.corpus[self.rng.random_range(0..self.corpus.len())].clone();
        for _ in 0..self.rng.random_range(1..=MOST_CHANGES) {
            let parsed = if self.rng.random() { serde_json::from_slice::<Value>(&input).ok() } else { None };
            match parsed {
                Some(mut value) => {
                    self.change_value(&mut value);
                    input = value.to_string().into_bytes();
                }
                None => self.change_bytes(&mut input),
            }
        }
        input.truncate(MOST_BYTES);
        input
    }

    /// Exchanges one value somewhere in `value`, or takes it away, or repeats it.
    fn change_value(&mut self, value: &mut Value) {
        let goes_on = self.rng.random_range(0..4) > 0;
        match value {
            Value::Array(items) if goes_on && !items.is_empty() => {
                let at = self.rng.random_range(0..items.len());
                match self.rng.random_range(0..6) {
                    0 => drop(items.remove(at)),
                    1 => {
                        let again = items[at].clone();
                        items.insert(at, again);
                    }
                    _ => self.change_value(&mut items[at]),
                }
            }
            Value::Object(fields) if goes_on && !fields.is_empty() => {
                let at = self.rng.random_range(0..fields.len());
                let name = fields.keys().nth(at).cloned().unwrap_or_default();
                match self.rng.random_range(0..8) {
                    0 => drop(fields.shift_remove(&name)),
                    1 => drop(fields.insert(format!("{name}x"), json!(1))),
                    _ => {
                        if let Some(field) = fields.get_mut(&name) {
                            self.change_value(field);
                        }
                    }
                }
            }
            value => *value = self.hurtful(value),
        }
    }

    fn hurtful(&mut self, was: &Value) -> Value {
        let token = TOKENS[self.rng.random_range(0..TOKENS.len())];
        let text = was.as_str().unwrap_or_default();
        let mut deep = json!(1);
        match self.rng.random_range(0..16) {
            0 => json!(null),
            1 => json!(-1),
            2 => json!(u64::MAX),
            3 => json!(i64::MIN),
            4 => json!(1.7e308),
            5 => json!(0),
            6 => json!(""),
            7 => json!("x".repeat(self.rng.random_range(0..20_000))),
            8 => json!("é\u{301}\u{200d}😀".repeat(self.rng.random_range(0..500))),
            9 => json!([]),
            10 => json!({}),
            11 => {
                for _ in 0..self.rng.random_range(1..100) {
                    deep = json!([deep]);
                }
                deep
            }
            12 => json!(true),
            13 => json!(format!("{text}{token}")),
            _ => json!(format!("{token}{text}")),
        }
    }

    fn change_bytes(&mut self, input: &mut Vec<u8>) {
        let (rng, length) = (&mut self.rng, input.len());
        let at = rng.random_range(0..=length);
        let end = (at + rng.random_range(0..64)).min(length);
        match rng.random_range(0..7) {
            0 if at < length => input[at] ^= 1 << rng.random_range(0..8),
            1 if at < length => input[at] = rng.random(),
            2 => drop(input.drain(at..end)),
            3 => {
                let piece = input[at..end].to_vec();
                input.splice(at..at, piece.repeat(rng.random_range(1..20)));
            }
            4 => {
                let token = TOKENS[rng.random_range(0..TOKENS.len())];
                input.splice(at..at, token.bytes());
            }
            5 => {
                let other = &self.corpus[rng.random_range(0..self.corpus.len())];
                let from = rng.random_range(0..=other.len());
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => input.truncate(at),
        }
        input.truncate(MOST_BYTES);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn inputs_of_a_seed_are_the_same_and_differ_from_each_other() {
        let corpus = || vec![br#"{"a":[1,"x",{"b":null}]}"#.to_vec(), b"plain".to_vec()];
        let made = |seed| {
            let mut mutator = Mutator::new(seed, corpus());
            (0..500).map(|_| mutator.next_input()).collect::<Vec<_>>()
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
        let all: BTreeSet<Vec<u8>> = made(1).into_iter().collect();
        assert!(all.len() > 350, "{}", all.len());
        assert!(all.iter().all(|input| input.len() <= MOST_BYTES));
        let json = all.iter().filter(|input| serde_json::from_slice::<Value>(input).is_ok()).count();
        assert!(json > 30, "{json} of them are JSON");
    }
}
