//! [`Properties`]: what programs saved about a document as a whole, as header fields.

use precis_proto::FieldPlace;
use precis_text::{Leaf, normalize, visible};

use super::field::leaf;
use super::made_up;

/// Longest value, in characters; a longer one is left out and counted. Chosen: keywords of real files have up to a thousand.
const MAX_VALUE_CHARS: usize = 2_000;

/// Properties of a document as its program saved them; each is `None` if it is not there or blank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Properties {
    pub(crate) title: Option<String>,
    /// The people who made it, as written.
    pub(crate) author: Option<String>,
    /// When it was made, as written: `2026-03-14T09:30:00Z`, or only the day.
    pub(crate) created: Option<String>,
    pub(crate) subject: Option<String>,
    pub(crate) keywords: Option<String>,
}

impl Properties {
    /// The properties without those that nobody wrote: see [`made_up`].
    pub(crate) fn without_made_up(self) -> Self {
        let clean = |value: Option<String>| value.map(|value| normalize(&visible(&value)));
        let Self { title, author, created, subject, keywords } = self;
        let (author, created) = (clean(author), clean(created));
        let is_template = author.as_deref().is_some_and(made_up::is_program)
            || created.as_deref().is_some_and(made_up::is_time_of_template);
        Self {
            title: clean(title).filter(|title| !made_up::is_title(title)),
            author: author.filter(|author| !is_template && !made_up::is_author(author)),
            created: created.filter(|_| !is_template).and_then(|time| made_up::day(&time).map(str::to_owned)),
            subject: clean(subject).filter(|subject| !made_up::is_title(subject) && !made_up::is_author(subject)),
            keywords: clean(keywords).filter(|keywords| !made_up::is_title(keywords)),
        }
    }

    /// The fields of these properties, in a fixed order, and the number of those that are too long.
    pub(crate) fn fields(&self) -> (Vec<Leaf>, usize) {
        let all = [
            ("title", &self.title),
            ("author", &self.author),
            ("created", &self.created),
            ("subject", &self.subject),
            ("keywords", &self.keywords),
        ];
        let given: Vec<_> = all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect();
        let fits = |value: &str| value.chars().count() <= MAX_VALUE_CHARS;
        let too_long = given.iter().filter(|(_, value)| !fits(value)).count();
        let given = given.into_iter().filter(|(_, value)| fits(value));
        (given.filter_map(|(name, value)| leaf(name, value, FieldPlace::Properties)).collect(), too_long)
    }
}

/// The remark about `too_long` properties.
pub(crate) fn remark(too_long: usize) -> Option<String> {
    let limit = format!("longer than {MAX_VALUE_CHARS} characters");
    match too_long {
        0 => None,
        1 => Some(format!("1 property of the file is {limit} and was left out")),
        _ => Some(format!("{too_long} properties of the file are {limit} and were left out")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn human_values_are_fields_and_program_values_are_not() {
        let some = |text: &str| Some(text.to_owned());
        let given = Properties {
            title: some(" On\u{200b} things"),
            author: some("Jo Lund"),
            created: some("2026-03-14T09:30:00Z"),
            subject: some("Untitled"),
            keywords: some("a, b"),
        };
        let texts = |given: Properties| {
            given.without_made_up().fields().0.into_iter().map(|leaf| leaf.text).collect::<Vec<_>>()
        };
        assert_eq!(
            texts(given.clone()),
            ["title: On things", "author: Jo Lund", "created: 2026-03-14", "keywords: a, b"]
        );
        let of_program = Properties { author: some("python-docx"), ..given.clone() };
        assert_eq!(texts(of_program), ["title: On things", "keywords: a, b"]);
        let of_template = Properties { created: some("2013-01-27T09:14:16Z"), ..given };
        assert_eq!(texts(of_template), ["title: On things", "keywords: a, b"]);
    }

    #[test]
    fn a_value_has_a_greatest_length() {
        for (chars, fields, too_long) in
            [(MAX_VALUE_CHARS - 1, 1, 0), (MAX_VALUE_CHARS, 1, 0), (MAX_VALUE_CHARS + 1, 0, 1)]
        {
            let long = Properties { keywords: Some("k".repeat(chars)), ..Properties::default() };
            let (found, left_out) = long.without_made_up().fields();
            assert_eq!(
                (found.len(), left_out, remark(left_out).is_some()),
                (fields, too_long, too_long > 0),
                "{chars}"
            );
        }
    }
}
