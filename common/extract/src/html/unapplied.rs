//! What the limits on style sheets leave out of a page's reading, as a remark for people.

/// Parts of the style sheets of a page that were not applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unapplied {
    /// Rules beyond the size that is read.
    pub(super) rules: u64,
    /// Elements that were judged by their own attributes alone, because the work for the page was used up.
    pub(super) elements: u64,
}

impl Unapplied {
    /// The remark; `None` if everything was applied.
    pub(super) fn remark(self) -> Option<String> {
        let rules = (self.rules > 0).then(|| format!("{} rules not applied", self.rules));
        let elements = (self.elements > 0).then(|| format!("{} elements judged without them", self.elements));
        let left_out: Vec<String> = rules.into_iter().chain(elements).collect();
        (!left_out.is_empty())
            .then(|| format!("style sheets too long: {}; text that they hide may have been read", left_out.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_counted() {
        for (rules, elements, want) in [
            (0, 0, None),
            (3, 0, Some("style sheets too long: 3 rules not applied; text that they hide may have been read")),
            (
                0,
                2,
                Some("style sheets too long: 2 elements judged without them; text that they hide may have been read"),
            ),
        ] {
            assert_eq!(Unapplied { rules, elements }.remark().as_deref(), want);
        }
    }
}
