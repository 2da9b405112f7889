//! Texts in batches that a server of vectors takes at once.

/// What one request may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BatchLimits {
    /// Most texts; at least 1.
    pub(super) texts: usize,
    /// Most tokens, as counted here; at least 1.
    pub(super) tokens: u64,
}

/// The texts of one request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) texts: Vec<String>,
    pub(super) tokens: u64,
}

/// Divides `texts`, in order, into batches within `limits`. A text that alone has more tokens is cut.
pub(super) fn batches(texts: Vec<String>, limits: BatchLimits, count: impl Fn(&str) -> u64) -> Vec<Batch> {
    let mut all: Vec<Batch> = Vec::new();
    for text in texts {
        let (text, tokens) = within(text, limits.tokens, &count);
        let has_room = |batch: &&mut Batch| {
            batch.texts.len() < limits.texts && batch.tokens.saturating_add(tokens) <= limits.tokens
        };
        match all.last_mut().filter(has_room) {
            Some(batch) => {
                batch.texts.push(text);
                batch.tokens += tokens;
            }
            None => all.push(Batch { texts: vec![text], tokens }),
        }
    }
    all
}

/// The beginning of a text with at most so many tokens, and their number.
fn within(mut text: String, most: u64, count: impl Fn(&str) -> u64) -> (String, u64) {
    loop {
        let (tokens, chars) = (count(&text), text.chars().count());
        if tokens <= most || chars <= 1 {
            return (text, tokens);
        }
        // Tokens are spread about evenly over a text, so this ends after a few rounds; at least one character goes in each.
        let kept = (chars as u128 * u128::from(most) / u128::from(tokens)) as usize;
        let end = text.char_indices().nth(kept.clamp(1, chars - 1)).map_or(text.len(), |(at, _)| at);
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(texts: &[&str], most_texts: usize, tokens: u64) -> Vec<(usize, u64)> {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        let made = batches(texts, BatchLimits { texts: most_texts, tokens }, |text| text.len() as u64);
        made.iter().map(|batch| (batch.texts.len(), batch.tokens)).collect()
    }

    #[test]
    fn a_batch_has_at_most_so_many_texts() {
        let texts = ["a"; 4];
        assert_eq!(sizes(&texts, 3, 100), [(3, 3), (1, 1)]);
        assert_eq!(sizes(&texts, 4, 100), [(4, 4)]);
        assert_eq!(sizes(&texts, 5, 100), [(4, 4)]);
        assert_eq!(sizes(&[], 5, 100), []);
    }

    #[test]
    fn a_batch_has_at_most_so_many_tokens() {
        let texts = ["aa", "bb", "cc"];
        assert_eq!(sizes(&texts, 9, 5), [(2, 4), (1, 2)]);
        assert_eq!(sizes(&texts, 9, 6), [(3, 6)]);
        assert_eq!(sizes(&texts, 9, 7), [(3, 6)]);
    }

    #[test]
    fn a_text_with_too_many_tokens_is_cut() {
        let cut = |text: &str, most| within(text.to_owned(), most, |text| text.chars().count() as u64).0;
        assert_eq!([cut("äbc", 2), cut("äbc", 3), cut("äbc", 4)], ["äb", "äbc", "äbc"]);
        assert_eq!(cut("äbc", 0), "ä", "one character stays whatever is allowed");
    }
}
