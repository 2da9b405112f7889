//! Cached token counts: in this process, and for whole documents also in the shared store.
//!
//! A count depends on text and tokenizer alone, so a cached one is never stale; without the store, documents are just counted again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use precis_runtime::cache::{Cache, CacheFamily, CacheKey};
use precis_text::tokens::Tokenizer;
use sha2::{Digest, Sha256};

use crate::documents::texts;

/// Texts shorter than this, in bytes, are counted faster than hashed and looked up.
const SHORT: usize = 256;
/// Documents shorter than this, in bytes, are counted here: looking one up takes about one millisecond, counting this many bytes about
/// three.
const SHARED: usize = 64 * 1024;
/// Counts per generation; two generations are kept, about 5 MB.
const GENERATION: usize = 32_768;

type CountKey = ([u8; 32], Tokenizer);

/// Token counts by content hash and tokenizer. The older generation is dropped when the younger one is full.
#[derive(Debug, Default)]
pub struct TokenCounts {
    /// Written by every count of a long text; lives as long as the process.
    kept: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<CountKey, u64>,
    old: HashMap<CountKey, u64>,
}

impl TokenCounts {
    /// Returns the number of tokens of `text`.
    #[must_use]
    pub fn count(&self, tokenizer: Tokenizer, text: &str) -> u64 {
        if text.len() < SHORT {
            return tokenizer.count(text);
        }
        let key = (Sha256::digest(text.as_bytes()).into(), tokenizer);
        if let Some(known) = self.lock().find(&key) {
            return known;
        }
        // Counted outside the lock: two threads may count the same text, but none waits while another counts.
        let tokens = tokenizer.count(text);
        self.lock().keep(key, tokens);
        tokens
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Generations> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn find(&mut self, key: &CountKey) -> Option<u64> {
        if let Some(known) = self.young.get(key) {
            return Some(*known);
        }
        let known = self.old.get(key).copied()?;
        // Copied to the younger generation: a count in use must survive when the older one is dropped.
        self.keep(*key, known);
        Some(known)
    }

    fn keep(&mut self, key: CountKey, tokens: u64) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, tokens);
    }
}

/// Returns the number of tokens of a whole document with the hash `hex`: from the store, else counted on a blocking thread and stored if
/// the document is long enough.
pub(crate) async fn of_document(tokenizer: Tokenizer, hex: &str, text: String, cache: Cache<'_>) -> u64 {
    if text.len() < SHARED {
        return texts::compute(move || tokenizer.count(&text)).await;
    }
    let key = CacheKey::new(CacheFamily::TokenCount, format!("{}:{hex}", tokenizer.as_str()));
    if let Some(known) = cache.get(&key).await {
        return known;
    }
    let tokens = texts::compute(move || tokenizer.count(&text)).await;
    cache.keep(&key, &tokens).await;
    tokens
}

#[cfg(test)]
mod tests {
    use precis_runtime::store::{MemoryStore, Store};

    use super::*;

    #[test]
    fn a_kept_count_is_exact_for_every_tokenizer() {
        let counts = TokenCounts::default();
        for round in 0..2 {
            for n in 0..40 {
                let text = format!("Text {n} of round 予算 {}", "and so on ".repeat(40));
                for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
                    assert_eq!(counts.count(tokenizer, &text), tokenizer.count(&text), "{round} {n}");
                }
            }
        }
        let mut generations = Generations::default();
        for n in 0..GENERATION * 3 {
            generations.keep(([n as u8; 32], Tokenizer::O200k), 1);
            generations.keep((Sha256::digest(n.to_le_bytes()).into(), Tokenizer::O200k), n as u64);
        }
        assert!(generations.young.len() + generations.old.len() <= 2 * GENERATION);
    }

    #[tokio::test]
    async fn a_document_is_counted_once_for_all_who_share_a_store() {
        let store = Store::Memory(MemoryStore::new());
        // The cache key is the given hash, not the text: another text under the same hash shows whether the count was cached.
        let (text, other) = ("Counted once. ".repeat(5_000), "x".repeat(SHARED));
        let counted = of_document(Tokenizer::O200k, "ab", text.clone(), (&store).into()).await;
        assert_eq!(counted, Tokenizer::O200k.count(&text));
        assert_eq!(
            of_document(Tokenizer::O200k, "ab", other.clone(), (&store).into()).await,
            counted,
            "found, not counted"
        );
        assert_ne!(of_document(Tokenizer::Cl100k, "ab", other, (&store).into()).await, counted);
    }

    #[tokio::test]
    async fn a_short_document_and_one_whose_store_is_away_are_counted_here() {
        let memory = MemoryStore::new();
        let store = Store::Memory(memory.clone());
        let short = "Counted here. ".repeat(100);
        assert_eq!(
            of_document(Tokenizer::O200k, "ab", short.clone(), (&store).into()).await,
            Tokenizer::O200k.count(&short)
        );
        assert_eq!(store.values().get("tokens:o200k:ab").await.expect("reachable"), None);
        let long = "Counted here. ".repeat(5_000);
        memory.set_available(false);
        assert_eq!(
            of_document(Tokenizer::O200k, "ab", long.clone(), (&store).into()).await,
            Tokenizer::O200k.count(&long)
        );
    }
}
