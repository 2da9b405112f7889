//! Word lists written as text: words parted by white space, looked up whole.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A list that is read on first use. Only looked up in, never walked, so that its order cannot show.
pub(crate) type WordList = LazyLock<HashSet<&'static str>>;

/// The words of `list`.
pub(crate) fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_ascii_whitespace().collect()
}
