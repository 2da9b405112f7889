//! How a paper that was withdrawn is marked, whatever its publisher has done to its title: the report reads the mark.

/// Begins the title of every paper that was withdrawn; `distill` finds it by that.
const MARK: &str = "RETRACTED:";
/// Bytes within which a title's own remark ends: `Retracted Article:`, `RETRACTED PAPER:`.
const REMARK_BYTES: usize = 24;

/// `title` with the mark in front of it, once; a remark of the publisher's in other words gives way to it.
pub(super) fn marked(title: &str) -> String {
    let title = title.trim();
    let own = title.split_once(':').filter(|(remark, _)| {
        remark.len() <= REMARK_BYTES && remark.trim_start_matches(['(', '[']).to_lowercase().starts_with("retracted")
    });
    format!("{MARK} {}", own.map_or(title, |(_, rest)| rest).trim()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_marked_once_whatever_stands_there() {
        for (title, want) in [
            ("Dams", "RETRACTED: Dams"),
            ("RETRACTED: Dams", "RETRACTED: Dams"),
            ("Retracted article: Dams: a history", "RETRACTED: Dams: a history"),
            ("RETRACTED ARTICLE: Dams", "RETRACTED: Dams"),
            ("Why dams were retracted: a study", "RETRACTED: Why dams were retracted: a study"),
            ("Retracted but still cited by hundreds: dams", "RETRACTED: Retracted but still cited by hundreds: dams"),
            ("", "RETRACTED:"),
        ] {
            assert_eq!(marked(title), want, "{title}");
            assert_eq!(marked(&marked(title)), want, "{title}");
        }
    }
}
