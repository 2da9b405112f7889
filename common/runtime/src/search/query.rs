//! The text that may leave for a search provider.
//!
//! A search tells a stranger what is looked for. So a search takes no string but a [`PublicQuery`], and the only ways to make one
//! are the two here: what the user typed to be searched for, and words whose label has been looked at ([`Labelled::public`]). There is
//! no conversion from a string, and none is to be added: whoever has words from a private document has no way to search the web with
//! them.
//!
//! ```compile_fail
//! let query: precis_runtime::search::PublicQuery = "words of a private document".into();
//! ```
//!
//! ```compile_fail
//! use precis_proto::label::Labelled;
//! use precis_runtime::search::PublicQuery;
//! let query = PublicQuery::of_public(Labelled::private("words of a private document"));
//! ```
//!
//! ```
//! use precis_proto::label::{Label, Labelled};
//! use precis_runtime::search::PublicQuery;
//! let query = Labelled::new(Label::Public, "words of the question").public().map(PublicQuery::of_public);
//! assert_eq!(query.map(|query| query.as_str().to_owned()), Ok("words of the question".to_owned()));
//! assert!(Labelled::private("words of a private document").public().is_err());
//! ```
//!
//! [`Labelled::public`]: precis_proto::label::Labelled::public

use std::fmt;

use precis_proto::label::Public;

/// Words that may be told to a search provider. `Debug` shows their length only: queries belong in no log.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicQuery(String);

impl PublicQuery {
    /// Border: what the user typed to be searched for.
    #[must_use]
    pub fn of_user(text: &str) -> Self {
        Self::new(text)
    }

    /// Words that anybody may be told.
    #[must_use]
    pub fn of_public(text: Public<&str>) -> Self {
        Self::new(text.into_inner())
    }

    /// On one line: white space is one blank, control characters are none.
    fn new(text: &str) -> Self {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self(plain.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The words; empty where there are none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The query as far as `limit` allows, cut between words; whether anything was cut.
    pub(super) fn fitted(&self, limit: QueryLimit) -> (&str, bool) {
        let (mut end, mut chars) = (0, 0);
        for (number, word) in self.0.split(' ').enumerate() {
            let blank = usize::from(number > 0);
            chars += word.chars().count() + blank;
            if chars > limit.chars || number == limit.words {
                break;
            }
            end += word.len() + blank;
        }
        if end == 0 {
            // One word that is longer than all there is room for.
            end = self.0.char_indices().nth(limit.chars).map_or(self.0.len(), |(at, _)| at);
        }
        (&self.0[..end], end < self.0.len())
    }
}

impl fmt::Debug for PublicQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicQuery({} chars)", self.0.chars().count())
    }
}

/// The longest query that a provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueryLimit {
    pub(super) chars: usize,
    pub(super) words: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_one_line_and_hides_itself_from_logs() {
        let query = PublicQuery::of_user("  who\n pays\tthe\u{0} bill? ");
        assert_eq!(query.as_str(), "who pays the bill?");
        assert_eq!(format!("{query:?}"), "PublicQuery(18 chars)");
    }

    #[test]
    fn a_query_is_cut_between_words_where_it_is_too_long() {
        let limit = |chars, words| QueryLimit { chars, words };
        for (text, limit, fitted, cut) in [
            ("one two three", limit(13, 3), "one two three", false),
            ("one two three", limit(14, 4), "one two three", false),
            ("one two three", limit(12, 9), "one two", true),
            ("one two three", limit(99, 2), "one two", true),
            ("größer als", limit(6, 9), "größer", true),
            ("größer", limit(5, 9), "größe", true),
            ("", limit(5, 9), "", false),
        ] {
            assert_eq!(PublicQuery::of_user(text).fitted(limit), (fitted, cut), "{text} {limit:?}");
        }
    }
}
