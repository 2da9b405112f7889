//! Converts titles and snippets to plain text: some providers send HTML or JATS, and a page may put anything in them.

use dom_query::Document;

/// Most characters of a title.
pub(super) const MAX_TITLE_CHARS: usize = 300;
/// Most characters of a snippet: enough to judge a result. Chosen, not measured.
pub(super) const MAX_SNIPPET_CHARS: usize = 1_000;
/// Most characters of a text included in a result, such as the abstract of a paper.
pub(super) const MAX_TEXT_CHARS: usize = 20_000;
/// Characters read beyond those kept, since markup is removed; bounds the depth of the markup.
const RAW: usize = 2_000;
/// Elements that contain no visible text.
const SILENT: &str = "script, style, template, noscript, iframe, object, svg";

/// Returns `text` without markup, on one line, at most `max_chars` characters, cut at a space if possible.
pub(super) fn plain(text: &str, max_chars: usize) -> String {
    let raw: String = text.chars().take(max_chars + RAW).collect();
    let bare = if has_markup(&raw) { without_markup(&raw) } else { raw };
    let shown = bare.chars().filter(|c| !is_invisible(*c)).map(|c| if c.is_control() { ' ' } else { c });
    let line = shown.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    cut(line, max_chars)
}

fn cut(line: String, max_chars: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(max_chars) else { return line };
    let whole = line[..end].rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    line[..whole].to_owned()
}

/// Whether the text contains a tag or an entity: `a < b` has none and is kept unchanged.
fn has_markup(text: &str) -> bool {
    let follows = |at: usize| text[at + 1..].chars().next();
    let tag = |at: usize| follows(at).is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
    let entity = |at: usize| {
        let name: String = text[at + 1..].chars().take(10).collect();
        name.split_once(';')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#'))
    };
    text.match_indices('<').any(|(at, _)| tag(at) && text[at..].contains('>'))
        || text.match_indices('&').any(|(at, _)| entity(at))
}

fn without_markup(html: &str) -> String {
    // Add a space around each block element, so that words on both sides stay apart. Inline tags get none: they may be inside a word.
    let document = Document::fragment(html);
    document.select(SILENT).remove();
    for block in document.select("p, div, br, li, tr, td, th, h1, h2, h3, h4, h5, h6, section").nodes() {
        block.append_html(" ");
        block.before_html(" ");
    }
    document.text().to_string()
}

/// Whether `c` is invisible or changes how other characters are displayed.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_the_words_stay() {
        for (text, shown) in [
            ("plain words", "plain words"),
            ("  two\n lines\t", "two lines"),
            ("<strong>Dams</strong> of the <span class=\"searchmatch\">river</span>", "Dams of the river"),
            ("one<br>two<p>three</p>four", "one two three four"),
            ("<jats:p>An <jats:italic>abstract</jats:italic> of work.</jats:p>", "An abstract of work."),
            ("Fish &amp; chips &#8211; &lt;b&gt;", "Fish & chips – <b>"),
            ("AT&T and R&D; a < b and b > c", "AT&T and R&D; a < b and b > c"),
            ("x <= y, 3<5", "x <= y, 3<5"),
            ("see <script>alert('x')</script>here<style>p{}</style>", "see here"),
            ("<img src=x onerror=alert(1)>picture", "picture"),
            ("torn <a href=\"https://example.org/", "torn <a href=\"https://example.org/"),
            ("left\u{202e}right\u{200b}\u{0}end", "leftright end"),
            ("", ""),
        ] {
            assert_eq!(plain(text, 100), shown, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_blank() {
        for (text, limit, shown) in [
            ("one two three", 13, "one two three"),
            ("one two three", 12, "one two"),
            ("one two three", 14, "one two three"),
            ("unbroken", 4, "unbr"),
            ("größe", 4, "größ"),
        ] {
            assert_eq!(plain(text, limit), shown, "{text} {limit}");
        }
    }

    #[test]
    fn a_text_of_only_tags_is_read_in_bounded_time() {
        let deep = "<div><b>".repeat(1_000_000) + "end";
        let begun = std::time::Instant::now();
        assert!(plain(&deep, MAX_TEXT_CHARS).is_empty());
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}
