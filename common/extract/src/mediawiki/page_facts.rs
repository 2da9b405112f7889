//! What a page says about itself with links: where it redirects, its categories, the same page in other languages.

use super::links::{PageLink, is_language, page_link};

/// What links say about a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageFacts<'t> {
    /// The text without these links.
    pub(super) body: &'t str,
    /// The page that this one leads to.
    pub(super) redirect: Option<&'t str>,
    /// Categories named at the end, whatever a wiki calls them.
    pub(super) categories: Vec<&'t str>,
}

/// What the links of `text`, a page without templates, say about it.
pub(super) fn of(text: &str) -> PageFacts<'_> {
    let (redirect, mut body) = redirect(text).map_or((None, text), |(page, body)| (Some(page), body));
    let mut categories = Vec::new();
    // Lines with links to other spaces at the end of a page are no text of it: `[[Kategorie:A]]`, `[[de:B]]`.
    while let Some((before, links)) = last_line(body).and_then(|(before, line)| Some((before, space_links(line)?))) {
        let named = links.into_iter().filter(|(space, _)| !is_language(space)).map(|(_, name)| name);
        categories.extend(named.rev());
        body = before;
    }
    categories.reverse();
    PageFacts { body, redirect, categories }
}

/// The page that the first line of `text` leads to, as `#REDIRECT [[page]]`, and the text behind it. The word may be of any language.
fn redirect(text: &str) -> Option<(&str, &str)> {
    let marked = text.trim_start().strip_prefix('#')?;
    let (word, rest) = marked.split_once("[[")?;
    let word = word.trim().trim_end_matches(':').trim_end();
    let is_word = !word.is_empty() && word.chars().all(char::is_alphabetic);
    let is_named = word.chars().all(|c| !c.is_lowercase()) || word.eq_ignore_ascii_case("redirect");
    let (inside, behind) = rest.split_once("]]")?;
    let page = inside.split('|').next().unwrap_or_default().trim().trim_start_matches(':');
    let is_line = behind.lines().next().is_none_or(|line| line.trim().is_empty());
    (is_word && is_named && is_line && !page.contains('\n')).then_some((page, behind))
}

/// The last line of `text` with words, and the text before it.
fn last_line(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.rsplit_once('\n').unwrap_or(("", text)))
}

/// Spaces and names of the pages in `line`, if it has nothing but such links, and no picture.
fn space_links(line: &str) -> Option<Vec<(&str, &str)>> {
    let (mut rest, mut links) = (line.trim(), Vec::new());
    while !rest.is_empty() {
        let (inside, behind) = rest.strip_prefix("[[")?.split_once("]]")?;
        let is_picture = matches!(page_link(inside)?, PageLink::Picture(_));
        let (space, name) = inside.split('|').next()?.split_once(':').filter(|(space, _)| !space.trim().is_empty())?;
        links.push((space.trim(), name.trim()));
        rest = if is_picture { return None } else { behind.trim_start() };
    }
    Some(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_at_the_start_and_end_say_what_a_page_is() {
        for (text, redirect, body, categories) in [
            ("#REDIRECT [[A b#c]]\n", Some("A b#c"), "\n", &[][..]),
            ("#redirect: [[:A]]", Some("A"), "", &[]),
            ("#WEITERLEITUNG [[A]]", Some("A"), "", &[]),
            ("#see [[A]]", None, "#see [[A]]", &[]),
            ("#A [[A]] and more", None, "#A [[A]] and more", &[]),
            ("Text\n\n[[Kategorie:A|x]] [[Category:B]]\n[[de:C]]\n", None, "Text\n", &["A", "B"]),
            ("Text\n[[A]]", None, "Text\n[[A]]", &[]),
            ("Text\n[[Datei:a.png]]", None, "Text\n[[Datei:a.png]]", &[]),
            ("Text\n[[:Category:A]]", None, "Text\n[[:Category:A]]", &[]),
        ] {
            assert_eq!(of(text), PageFacts { body, redirect, categories: categories.to_vec() }, "{text}");
        }
    }
}
