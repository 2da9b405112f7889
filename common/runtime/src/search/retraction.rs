//! Marks the title of a withdrawn paper uniformly, regardless of the publisher's own remark; the report detects the mark.

/// Prefix of the title of every withdrawn paper; the reader of search results detects it.
const MARK: &str = "RETRACTED:";
/// Longest publisher's remark at the start of a title, in bytes: `Retracted Article:`, `RETRACTED PAPER:`.
const REMARK_BYTES: usize = 24;

/// Returns `title` with the mark in front, once; replaces a publisher's own remark.
pub(super) fn mark_title(title: &str) -> String {
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
    fn a_title_is_marked_once_in_any_case() {
        for (title, want) in [
            ("Dams", "RETRACTED: Dams"),
            ("RETRACTED: Dams", "RETRACTED: Dams"),
            ("Retracted article: Dams: a history", "RETRACTED: Dams: a history"),
            ("RETRACTED ARTICLE: Dams", "RETRACTED: Dams"),
            ("Why dams were retracted: a study", "RETRACTED: Why dams were retracted: a study"),
            ("Retracted but still cited by hundreds: dams", "RETRACTED: Retracted but still cited by hundreds: dams"),
            ("", "RETRACTED:"),
        ] {
            assert_eq!(mark_title(title), want, "{title}");
            assert_eq!(mark_title(&mark_title(title)), want, "{title}");
        }
    }
}
