//! What a folder says of itself to people: `README.md`, whose first lines are between two of three hyphens.

/// The licence that a model's card states; empty if it states none. It is shown as stated, and nothing follows from it.
pub fn licence_of_card(card: &str) -> String {
    let mut lines = card.trim_start_matches('\u{feff}').lines();
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return String::new();
    }
    let fields = lines.take_while(|line| line.trim_end() != "---").filter_map(|line| line.split_once(':'));
    let stated = fields.filter(|(name, _)| *name == "license").map(|(_, value)| value.trim());
    stated.last().unwrap_or_default().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_licence_is_the_field_between_the_first_lines() {
        assert_eq!(licence_of_card("---\nlanguage: en\nlicense: apache-2.0\ntags:\n- a\n---\n# Model"), "apache-2.0");
        assert_eq!(licence_of_card("---\nlicense: \"mit\"\n---\n"), "mit");
        assert_eq!(licence_of_card("---\nlanguage: en\n---\nlicense: mit"), "");
        assert_eq!(licence_of_card("# Model\nlicense: mit"), "");
        assert_eq!(licence_of_card(""), "");
    }
}
