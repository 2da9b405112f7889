//! [`LeftOut`]: numbers of characters that a reader does not say, and the remarks about them.

use std::ops::{Add, AddAssign};

/// Numbers of characters of a document, without white space, that its text does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Readers of the document do not see them.
    pub(crate) hidden: u64,
    /// The document strikes them out.
    pub(crate) struck: u64,
    /// They are directives to the generator of a site, which replaces them.
    pub(crate) directives: u64,
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: Self) {
        self.hidden += other.hidden;
        self.struck += other.struck;
        self.directives += other.directives;
    }
}

impl Add for LeftOut {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl LeftOut {
    /// One remark for each kind of which there are any.
    pub(crate) fn remarks(self) -> impl Iterator<Item = String> {
        let told = [
            (self.hidden, "that the document hides from its readers"),
            (self.struck, "that the document strikes out"),
            (self.directives, "of directives that the generator of a site replaces"),
        ];
        told.into_iter().filter_map(|(chars, which)| match chars {
            0 => None,
            1 => Some(format!("left out 1 character {which}")),
            _ => Some(format!("left out {chars} characters {which}")),
        })
    }
}

/// Number of characters of `text` that are not white space.
pub(crate) fn visible_chars(text: &str) -> u64 {
    text.chars().filter(|c| !c.is_whitespace()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_what_was_left_out_is_remarked_on() {
        let left_out = |hidden, struck, directives| LeftOut { hidden, struck, directives };
        for (given, want) in [
            (left_out(0, 0, 0), &[][..]),
            (left_out(1, 0, 0), &["left out 1 character that the document hides from its readers"]),
            (
                left_out(2, 3, 1),
                &[
                    "left out 2 characters that the document hides from its readers",
                    "left out 3 characters that the document strikes out",
                    "left out 1 character of directives that the generator of a site replaces",
                ],
            ),
        ] {
            assert_eq!(given.remarks().collect::<Vec<_>>(), want);
        }
    }
}
