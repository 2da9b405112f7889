//! Contents that retention passes over.

use std::collections::HashSet;

use precis_proto::source::ContentRef;

/// Digits of a hash that are remembered: another content with the same ones would be kept too, no more.
const DIGITS: usize = 32;

/// Contents that must not be removed, whatever their age.
#[derive(Debug, Clone, Default)]
pub struct KeptContents(HashSet<u128>);

impl KeptContents {
    /// Keeps `content`.
    pub fn keep(&mut self, content: &ContentRef) {
        self.0.extend(mark(content.hex()));
    }

    /// Whether the content with this hash, in hexadecimal digits, is kept.
    #[must_use]
    pub fn holds(&self, hex: &str) -> bool {
        mark(hex).is_some_and(|mark| self.0.contains(&mark))
    }
}

fn mark(hex: &str) -> Option<u128> {
    u128::from_str_radix(hex.get(..DIGITS)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_known_by_its_hash() {
        let (one, other) = (ContentRef::from_bytes(b"one"), ContentRef::from_bytes(b"other"));
        let mut kept = KeptContents::default();
        assert!(!kept.holds(one.hex()));
        kept.keep(&one);
        assert!(kept.holds(one.hex()) && !kept.holds(other.hex()) && !kept.holds("") && !kept.holds("no hash"));
    }
}
