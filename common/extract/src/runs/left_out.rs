//! [`LeftOut`]: numbers of characters that a reader does not say, and the remarks about them.

use std::ops::AddAssign;

/// Numbers of characters of a document, without white space, that its text does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Readers of the document do not see them.
    pub(crate) hidden: u64,
    /// The document strikes them out.
    pub(crate) struck: u64,
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: Self) {
        self.hidden += other.hidden;
        self.struck += other.struck;
    }
}

impl LeftOut {
    /// One remark for each kind of which there are any.
    pub(crate) fn remarks(self) -> impl Iterator<Item = String> {
        [(self.hidden, "hides from its readers"), (self.struck, "strikes out")].into_iter().filter_map(
            |(chars, does)| match chars {
                0 => None,
                1 => Some(format!("left out 1 character that the document {does}")),
                _ => Some(format!("left out {chars} characters that the document {does}")),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_what_was_left_out_is_remarked_on() {
        for (hidden, struck, want) in [
            (0, 0, &[][..]),
            (1, 0, &["left out 1 character that the document hides from its readers"]),
            (
                2,
                3,
                &[
                    "left out 2 characters that the document hides from its readers",
                    "left out 3 characters that the document strikes out",
                ],
            ),
        ] {
            assert_eq!(LeftOut { hidden, struck }.remarks().collect::<Vec<_>>(), want);
        }
    }
}
