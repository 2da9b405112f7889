//! Collects the definitions of a page before it is read, because a definition may follow its use.

use precis_text::normalize;

use super::definitions::{Definitions, is_adornment};
use super::inline;
use super::lines::{Lines, Region};

/// The definitions of the page consisting of `lines`.
pub(super) fn definitions(lines: &Lines<'_>) -> Definitions {
    let mut found = Definitions::default();
    let (mut labels, mut replaced) = (Vec::new(), Vec::new());
    let whole = lines.region();
    let mut before = "";
    for (at, line) in lines.all().enumerate() {
        let text = line.trim_start();
        found.embedded(text);
        if text.starts_with("__ ") {
            found.anonymous_target();
        }
        if is_adornment(text) && !before.is_empty() {
            found.target(&before.replace(['`', '*'], ""));
        }
        if let Some(rest) = text.strip_prefix(".. ").map(str::trim_start) {
            match rest.chars().next() {
                Some('[') => labels.extend(rest[1..].split_once(']').map(|(label, _)| label)),
                Some('_') => found.explicit_target(&rest[1..]),
                Some('|') => {
                    // The region starts at the indentation of this line, so that more indented lines belong to it.
                    let column = line.len() - text.len();
                    let region = Region { start: at, first: column, column, ..whole };
                    let skip = text.len() - rest.len();
                    replaced.extend(substitution_on(lines, region, skip));
                }
                _ => {}
            }
        }
        before = text;
    }
    labels.iter().for_each(|label| found.target(label.trim_start_matches('#')));
    found.number(&labels);
    // Names in a replacement are not replaced: that could grow without bound.
    for (name, source) in replaced {
        let shown = normalize(&inline::shown(&source, &found));
        found.substitute(name, shown);
    }
    found
}

/// Name and source of the substitution that begins `skip` bytes into the first line of `region`.
fn substitution_on(lines: &Lines<'_>, region: Region, skip: usize) -> Option<(String, String)> {
    let rest = &lines.view(region, region.start)[skip + 1..];
    let (name, directive) = rest.split_once('|')?;
    let (kind, _) = directive.trim_start().split_once("::")?;
    let spaces = directive.len() - directive.trim_start().len();
    let body = lines.body(region, region.start, skip + 1 + name.len() + 1 + spaces + kind.len() + 2);
    let parts: Vec<&str> = lines.views(body.until(lines.block_end(body, body.start))).collect();
    let source = match kind {
        "replace" => parts.join("\n"),
        "unicode" => parts
            .iter()
            .flat_map(|part| part.split_whitespace())
            .take_while(|code| *code != "..")
            .map(character)
            .collect(),
        "image" => parts.iter().find_map(|part| part.trim().strip_prefix(":alt:")).unwrap_or_default().to_owned(),
        _ => return None,
    };
    Some((normalize(name), source))
}

/// The character with this code; the text itself if it is not a code.
fn character(code: &str) -> String {
    let digits = ["0x", "x", "\\x", "U+", "u", "\\u"].iter().find_map(|prefix| code.strip_prefix(prefix));
    let number = digits.map_or_else(|| code.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok());
    match number.and_then(char::from_u32).filter(|c| !c.is_control()) {
        // Escaped, because the text is read as markup like every other replacement.
        Some(c) => format!("\\{c}"),
        None => code.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_wherever_they_stand() {
        let page = "Title One\n=========\n\n- .. _Deep: u\n.. _`Quo ted`: v\n.. _esc\\: aped: w\n\n  .. |in| replace:: a\n     *b*\n\n     c\n.. |c| unicode:: 0xA9 .. x\n.. |i| image:: x.png\n   :alt: pic\n.. |d| date::\n";
        let found = definitions(&Lines::new(page));
        for (name, is_known) in [("title one", true), ("quo ted", true), ("esc: aped", false), ("Other", false)] {
            assert_eq!(found.is_target(name, false), is_known, "{name}");
        }
        for (name, want) in [("in", Some("a b")), ("c", Some("©")), ("i", Some("pic")), ("d", None)] {
            assert_eq!(found.substitution(name).as_deref(), want, "{name}");
        }
    }

    #[test]
    fn notes_without_number_take_the_lowest_that_is_free() {
        let page = ".. [#a] x\n.. [1] y\n.. [#] z\n.. [*] s\n.. [3] t\n";
        let found = definitions(&Lines::new(page));
        let marks: Vec<String> = ["#a", "1", "#", "*", "#none", "Cit"].map(|label| found.note(label)).to_vec();
        assert_eq!(marks, ["2", "1", "4", "*", "#none", "Cit"]);
    }

    #[test]
    fn what_is_put_in_is_bounded() {
        let long = "x".repeat(1_000);
        let page = format!(".. |a| replace:: {long}\n");
        let found = definitions(&Lines::new(&page));
        let shown = inline::shown(&"|a| ".repeat(2_000), &found);
        assert!(shown.len() < 1_020_000 && shown.ends_with("|a| "), "{}", shown.len());
    }
}
