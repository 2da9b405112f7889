//! Word lists written as text: words separated by white space, looked up whole.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A word list parsed on first use. It is only looked up, never iterated, so its order cannot affect results.
pub(crate) type WordList = LazyLock<HashSet<&'static str>>;

/// The words of `list`.
pub(crate) fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_ascii_whitespace().collect()
}
