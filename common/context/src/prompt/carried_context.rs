//! Compacts context that is carried forward: a text is reduced to its headings and the beginning of each section. Deterministic, without a
//! model, so that context cannot grow without bound over turns.

/// Characters kept of each section: a paragraph, enough to say what it is about. Chosen, not measured.
pub const SECTION_CHARS: usize = 500;
/// Most sections kept of one text: the first ones. Chosen, not measured.
pub const MAX_SECTIONS: usize = 40;

/// Reduces `text` to headings and previews of at most [`SECTION_CHARS`] each; a text no longer than that is returned unchanged.
///
/// Sections begin at Markdown headings (`#` to `######`) outside of fenced code. A preview ends after a nearby sentence or word, with
/// `…`. Idempotent: compacting the result again changes nothing.
#[must_use]
pub fn compact(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= SECTION_CHARS {
        return text.to_owned();
    }
    let sections = sections(text);
    let left = sections.len().saturating_sub(MAX_SECTIONS);
    let mut shown: Vec<String> = sections.iter().take(MAX_SECTIONS).map(Section::render).collect();
    if left > 0 {
        shown.push(format!("({left} further sections)"));
    }
    shown.join("\n\n")
}

struct Section<'t> {
    heading: Option<&'t str>,
    body: &'t str,
}

impl Section<'_> {
    fn render(&self) -> String {
        let body = preview(self.body.trim(), SECTION_CHARS);
        match (self.heading, body.is_empty()) {
            (Some(heading), true) => heading.to_owned(),
            (Some(heading), false) => format!("{heading}\n{body}"),
            (None, _) => body,
        }
    }
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let (mut sections, mut heading, mut start, mut at, mut is_code) = (Vec::new(), None, 0, 0, false);
    for line in text.split_inclusive('\n') {
        is_code ^= line.trim_start().starts_with("```");
        if !is_code && is_heading(line) {
            sections.push(Section { heading, body: &text[start..at] });
            (heading, start) = (Some(line.trim_end()), at + line.len());
        }
        at += line.len();
    }
    sections.push(Section { heading, body: &text[start..] });
    sections.retain(|section| section.heading.is_some() || !section.body.trim().is_empty());
    sections
}

fn is_heading(line: &str) -> bool {
    let marks = line.bytes().take_while(|b| *b == b'#').count();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ')
}

/// At most `max` characters of `text`, cut after a sentence or else a word in the last third; a cut ends in `…`.
pub(super) fn preview(text: &str, max: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max) else { return text.to_owned() };
    let from = text.char_indices().nth(max - max / 3).map_or(end, |(at, _)| at);
    // Room for the ellipsis, so that a preview is not cut again.
    let end = text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
    let reach = &text[from.min(end)..end];
    let sentence = [". ", "! ", "? ", "\n"].iter().filter_map(|mark| Some(reach.rfind(mark)? + 1)).max();
    let full_width = reach.rfind(['。', '！', '？']).map(|at| at + '。'.len_utf8());
    let cut = sentence.max(full_width).or_else(|| reach.rfind(char::is_whitespace));
    let kept = cut.map_or(&text[..end], |cut| &text[..from + cut]);
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> usize {
        text.chars().count()
    }

    #[test]
    fn a_short_text_stays_and_a_long_one_keeps_its_headings() {
        let short = "word ".repeat(100);
        assert_eq!(compact(&short), short.trim());
        let body = "One sentence of the section. ".repeat(60);
        let text = format!("Before.\n# First\n{body}\n## Second\n{body}\n```\n# no heading\n```\n### Empty\n");
        let kept = compact(&text);
        for heading in ["Before.", "# First", "## Second", "### Empty"] {
            assert!(kept.lines().any(|line| line == heading), "{heading} in {kept}");
        }
        assert!(!kept.lines().any(|line| line == "# no heading"));
        assert!(chars(&kept) < 2 * SECTION_CHARS + 100, "{}", chars(&kept));
    }

    #[test]
    fn a_preview_ends_at_a_sentence_or_word_within_its_limit() {
        for (text, max) in [
            ("aa bb. cc dd ee ff gg hh".repeat(9), 60),
            ("漢字が続く。".repeat(90), 50),
            ("x".repeat(500), 33),
            ("e\u{301}".repeat(200), 500),
            ("word ".repeat(300), SECTION_CHARS),
        ] {
            let kept = preview(&text, max);
            assert!(chars(&kept) <= max, "{} of {max}", chars(&kept));
            if chars(&text) > max {
                assert!(kept.ends_with('…') && text.starts_with(kept.trim_end_matches('…')));
                assert!(chars(&kept) * 3 > max, "{kept}");
            } else {
                assert_eq!(kept, text);
            }
        }
    }

    #[test]
    fn what_was_compacted_once_stays_as_it_is() {
        let body = "One sentence of the section. ".repeat(60);
        for text in [format!("# A\n{body}\n# B\n{body}"), "x".repeat(3_000), body] {
            let once = compact(&text);
            assert_eq!(compact(&once), once);
        }
    }

    #[test]
    fn a_text_of_very_many_sections_is_bounded() {
        let text: String = (0..200).map(|n| format!("# Section {n}\n{}\n", "text ".repeat(200))).collect();
        let kept = compact(&text);
        assert!(kept.ends_with("(160 further sections)") && chars(&kept) < MAX_SECTIONS * (SECTION_CHARS + 40));
    }
}
