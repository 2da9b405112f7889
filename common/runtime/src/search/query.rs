//! The text that may be sent to a search provider.
//!
//! A search discloses its query to a third party. So a search accepts only a [`PublicQuery`], and there are two ways to make one: from
//! text the user typed as a query, and from text whose label was checked ([`Labelled::public`]). There is no conversion from a string,
//! and none may be added: text of a private document cannot become a web search.
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

/// A query that may be sent to a search provider. `Debug` shows only its length, since queries must not be logged.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicQuery(String);

impl PublicQuery {
    /// Makes a query from text the user typed as a query. A trust boundary: the caller vouches for it.
    #[must_use]
    pub fn of_user(text: &str) -> Self {
        Self::new(text)
    }

    /// Makes a query from public text.
    #[must_use]
    pub fn of_public(text: Public<&str>) -> Self {
        Self::new(text.into_inner())
    }

    /// Normalises the text to one line: control characters and runs of white space become one space.
    fn new(text: &str) -> Self {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self(plain.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Returns the query; may be empty.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the query cut to `limit` between words, and whether anything was cut.
    pub(super) fn fit(&self, limit: QueryLimit) -> (&str, bool) {
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
            // The first word alone exceeds the limit: cut inside it.
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

/// The longest query that a provider accepts.
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
            assert_eq!(PublicQuery::of_user(text).fit(limit), (fitted, cut), "{text} {limit:?}");
        }
    }
}
