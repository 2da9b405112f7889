//! Repeated queries: a query is made the first time, answered from the log the second time, and ends the directive the third time.

use std::collections::BTreeMap;

use precis_language::words::tokens;

/// How often each query was requested, and its record.
#[derive(Debug, Default)]
pub(super) struct QueryRepeats(BTreeMap<String, QueryCount>);

#[derive(Debug, Default)]
struct QueryCount {
    times: u32,
    /// Index in the record; `None` if it was made in another directive.
    place: Option<usize>,
}

/// How to handle a query.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RepeatVerdict {
    /// Make it.
    New,
    /// Answer that it was made, as the query at this index or in another directive.
    FromLog(Option<usize>),
    /// It was requested too often; end the directive.
    Loop,
}

/// Times a query may be requested, including the first.
const MOST_TIMES: u32 = 2;

impl QueryRepeats {
    pub(super) fn new(asked: &[String]) -> Self {
        let key = |query: &String| (normalize(query), QueryCount { times: 1, place: None });
        Self(asked.iter().map(key).collect())
    }

    /// Counts `query` and returns how to handle it.
    pub(super) fn ask(&mut self, query: &str) -> RepeatVerdict {
        let asked = self.0.entry(normalize(query)).or_default();
        asked.times += 1;
        match asked.times {
            1 => RepeatVerdict::New,
            2..=MOST_TIMES => RepeatVerdict::FromLog(asked.place),
            _ => RepeatVerdict::Loop,
        }
    }

    /// Records the index of the record of `query`.
    pub(super) fn record(&mut self, query: &str, place: usize) {
        self.0.entry(normalize(query)).or_default().place = Some(place);
    }

    /// Forgets a query that was not made after all.
    pub(super) fn not_made(&mut self, query: &str) {
        self.0.remove(&normalize(query));
    }
}

/// A query normalized for comparison: its words in lower case without punctuation, in order.
pub(crate) fn normalize(query: &str) -> String {
    // `C`, `C++` and `C#` are three things.
    let words = tokens(query, &['+', '#']).map(|word| word.lower());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_made_then_logged_then_a_loop() {
        let mut repeats = QueryRepeats::new(&["Earlier  one?".to_owned()]);
        assert_eq!(repeats.ask("Who wrote PEP 8?"), RepeatVerdict::New);
        repeats.record("Who wrote PEP 8?", 3);
        assert_eq!(repeats.ask("who wrote  pep 8"), RepeatVerdict::FromLog(Some(3)));
        assert_eq!(repeats.ask("\"Who wrote PEP 8\""), RepeatVerdict::Loop);
        assert_eq!(repeats.ask("earlier one"), RepeatVerdict::FromLog(None));
        assert_eq!(repeats.ask("earlier one"), RepeatVerdict::Loop);
        assert_eq!(
            (repeats.ask("C"), repeats.ask("C++"), repeats.ask("C#")),
            (RepeatVerdict::New, RepeatVerdict::New, RepeatVerdict::New)
        );
    }
}
