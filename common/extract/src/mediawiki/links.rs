//! What brackets enclose: links to pages and addresses, pictures, categories.

/// Longest link to an address, in bytes; chosen: it bounds the search for its end.
pub(super) const MAX_ADDRESS_BYTES: usize = 4_000;
/// Begin an address.
const SCHEMES: [&str; 18] = [
    "http://",
    "https://",
    "ftp://",
    "ftps://",
    "//",
    "mailto:",
    "irc://",
    "ircs://",
    "news:",
    "git://",
    "ssh://",
    "sftp://",
    "svn://",
    "gopher://",
    "tel:",
    "magnet:",
    "urn:",
    "geo:",
];
/// Endings of pictures and films.
const PICTURES: [&str; 13] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "tif", "tiff", "bmp", "xcf", "ogv", "webm", "mp4"];

/// What a link in two brackets leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PageLink<'t> {
    /// A page: the words that are shown.
    Words(&'t str),
    /// A picture or film with its caption, which may be blank.
    Picture(&'t str),
    Category(&'t str),
    /// The same page in another language, if nothing else is on its line; the words that are shown otherwise.
    Language(&'t str),
}

/// What `inside` two brackets leads to; `None` if it is no link.
pub(super) fn page_link(inside: &str) -> Option<PageLink<'_>> {
    let (target, words) = inside.split_once('|').map_or((inside, None), |(target, words)| (target, Some(words)));
    let target = target.trim();
    if target.is_empty() || target.contains(['\n', '[', ']', '{', '}', '<', '>']) {
        return None;
    }
    if begins_address(target) {
        // Two brackets where one is meant.
        return Some(PageLink::Words(words.unwrap_or_else(|| words_of(target))));
    }
    let named = target.strip_prefix(':');
    let (prefix, name) = target.split_once(':').unwrap_or(("", target));
    let is_in = |space: &str| named.is_none() && prefix.trim().eq_ignore_ascii_case(space);
    if is_in("category") {
        return Some(PageLink::Category(name.trim()));
    }
    let ending = || name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_picture = named.is_none() && !prefix.is_empty() && PICTURES.contains(&ending().as_str());
    if is_in("file") || is_in("image") || (is_picture && !is_in("media")) {
        return Some(PageLink::Picture(words.map_or("", caption)));
    }
    let shown = match words.map(str::trim) {
        Some("") => short_name(named.unwrap_or(target)),
        Some(_) => words.unwrap_or_default(),
        None => page_name(named.unwrap_or(target)),
    };
    let is_language = named.is_none() && is_language(prefix);
    Some(if is_language { PageLink::Language(shown) } else { PageLink::Words(shown) })
}

/// Whether `prefix` has the form of a language's code: `de`, `pt-br`.
pub(super) fn is_language(prefix: &str) -> bool {
    let first = prefix.split('-').next().unwrap_or_default();
    (2..=3).contains(&first.len()) && prefix.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// The name of a page without the place on it; the place on the same page.
fn page_name(target: &str) -> &str {
    match target.split_once('#') {
        Some(("", place)) => place,
        Some((page, _)) => page,
        None => target,
    }
}

/// The name of a page without its space and what tells it apart, as an editor has it with a bar alone: `[[Help:A (b)|]]`.
fn short_name(target: &str) -> &str {
    let name = target.split_once(':').map_or(target, |(_, name)| name);
    name.split_once(" (").or_else(|| name.split_once(", ")).map_or(name, |(name, _)| name)
}

/// The caption among the `options` of a picture: the last one that is no setting, which is one word in lower case, or a name with a value.
fn caption(options: &str) -> &str {
    let is_setting = |part: &&str| {
        let is_word = !part.contains(char::is_whitespace) && part.is_ascii() && !part.contains(char::is_uppercase);
        let is_named = part
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.trim().bytes().all(|byte| byte.is_ascii_lowercase()));
        is_word || is_named
    };
    let mut parts = super::braces::parts(options).into_iter().map(str::trim);
    parts.rfind(|part| !part.is_empty() && !is_setting(part)).unwrap_or_default()
}

/// The words of the link to an address whose bracket `rest` begins with, and the number of its bytes.
pub(super) fn address_link(rest: &str) -> Option<(&str, usize)> {
    let inner = &rest[1..];
    if !begins_address(inner) {
        return None;
    }
    let near = &inner[..inner.floor_char_boundary(MAX_ADDRESS_BYTES)];
    let end = near.find(']')?;
    Some((words_of(&near[..end]), end + 2))
}

/// The words behind an address; itself if there are none.
fn words_of(link: &str) -> &str {
    let end = link.find(|c: char| c.is_whitespace() || "<>\"[".contains(c)).unwrap_or(link.len());
    let words = link[end..].trim();
    if words.is_empty() { &link[..end] } else { words }
}

fn begins_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_show_their_words_or_the_name_of_the_page() {
        use PageLink::{Category, Language, Picture, Words};
        for (inside, want) in [
            ("a b|c", Some(Words("c"))),
            ("a#b", Some(Words("a"))),
            ("#b", Some(Words("b"))),
            ("Help:A (b)|", Some(Words("A"))),
            (":Category:A", Some(Words("Category:A"))),
            ("category: A |x", Some(Category("A"))),
            ("File:a.png|thumb|200px|alt=A b|The ''dam''", Some(Picture("The ''dam''"))),
            ("Datei:a.JPG|mini|hochkant=1.2", Some(Picture(""))),
            ("Image:a|left", Some(Picture(""))),
            ("Media:a.png|the file", Some(Words("the file"))),
            ("de:Seite", Some(Language("de:Seite"))),
            ("0,1],[2", None),
            ("https://a.b c", Some(Words("c"))),
            ("https://a.b", Some(Words("https://a.b"))),
            ("https://a.b|c", Some(Words("c"))),
            (" ", None),
        ] {
            assert_eq!(page_link(inside), want, "{inside}");
        }
    }

    #[test]
    fn addresses_show_their_words_or_themselves() {
        for (rest, want) in [
            ("[https://a.b the site] x", Some(("the site", 22))),
            ("[HTTPS://a.b]", Some(("HTTPS://a.b", 13))),
            ("[mailto:a@b Ann]", Some(("Ann", 16))),
            ("[https://a.b the\nsite]", Some(("the\nsite", 22))),
            ("[https://a.b", None),
            ("[1]", None),
            ("[", None),
        ] {
            assert_eq!(address_link(rest), want, "{rest}");
        }
    }

    #[test]
    fn an_address_ends_within_so_many_bytes() {
        for (bytes, is_link) in
            [(MAX_ADDRESS_BYTES - 1, true), (MAX_ADDRESS_BYTES, true), (MAX_ADDRESS_BYTES + 1, false)]
        {
            let rest = format!("[{:a<1$}]", "http://", bytes - 1);
            assert_eq!(address_link(&rest).is_some(), is_link, "{bytes}");
        }
    }
}
