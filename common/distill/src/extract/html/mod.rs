//! HTML to text: what a reader sees of the whole page, or of its main content.
//!
//! One parser decodes entities, once. [`tame`] bounds what that parser is given, [`hidden`] removes what a reader does not
//! see, with the words of [`css`] that hide, [`xhtml`] writes out what only XML leaves out, [`walk`] turns a tree into text, [`main_content`] chooses the part that is the article. Addresses are not known
//! here, and nothing is fetched.

mod css;
mod hidden;
mod main_content;
mod tame;
mod walk;
mod xhtml;

pub(super) use walk::{is_selector, shows_nothing, visible};
pub(super) use xhtml::expanded;

use std::borrow::Cow;

use dom_query::Document;

use super::limits::HtmlMode;
use crate::text::normalize;

/// A page and its title.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HtmlText {
    /// From the page's head or first heading.
    pub(super) title: Option<String>,
    /// Normalised.
    pub(super) text: String,
    /// Whether the full text stands in for the main content asked for.
    pub(super) fell_back: bool,
}

/// Text of the page `source`, already decoded to characters.
pub(super) fn page_text(source: &str, mode: HtmlMode) -> HtmlText {
    let source = if xhtml::is_xml(source) { Cow::Owned(expanded(source)) } else { Cow::Borrowed(source) };
    let source = tame::bounded(&source);
    let mut document = Document::from(source.as_ref());
    let title = title(&document);
    hidden::prune_with_sheets(&document);
    let mut full = normalize(&walk::text(&document.root()));
    if full.is_empty() {
        // A page that hides all of itself shows it once its script has run.
        document = Document::from(source.as_ref());
        hidden::prune(&document);
        full = normalize(&walk::text(&document.root()));
    }
    match mode {
        HtmlMode::Full => HtmlText { title, text: full, fell_back: false },
        HtmlMode::Main => match main_content::of(document, &full) {
            Some(main) => HtmlText { title, text: main, fell_back: false },
            None => HtmlText { title, text: full, fell_back: true },
        },
    }
}

/// Everything a reader sees of a piece of HTML.
pub(super) fn fragment_text(source: &str) -> String {
    let document = Document::fragment(tame::bounded(source).as_ref());
    hidden::prune_with_sheets(&document);
    walk::text(&document.root())
}

/// Whether the start tag `tag` hides what follows it up to its end tag.
pub(super) fn hides_its_content(tag: &str) -> bool {
    hidden::hides_its_content(&Document::fragment(tame::bounded(tag).as_ref()))
}

/// `<title>`, else `og:title`, else the first `<h1>`.
fn title(document: &Document) -> Option<String> {
    let text_of = |selector: &str| document.select_single(selector).text().to_string();
    let candidates: [&dyn Fn() -> String; 3] = [
        &|| text_of("head > title"),
        &|| document.select_single("meta[property='og:title']").attr_or("content", "").to_string(),
        &|| text_of("h1"),
    ];
    candidates.iter().map(|candidate| normalize(&walk::visible(&candidate()))).find(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(source: &str) -> String {
        page_text(source, HtmlMode::Full).text
    }

    #[test]
    fn blocks_are_set_apart_and_inline_elements_are_not() {
        let table = [
            ("<p>one</p><p>two</p>", "one two"),
            ("<p>w<b>or</b>d<i>s</i> H<sub>2</sub>O</p>", "words H2O"),
            ("a<br>b<hr>c<wbr>d", "a b cd"),
            ("<table><tr><td>1</td><td>2</td></tr></table>", "1 2"),
            ("<ul><li>x<li>y</ul>", "x y"),
            ("<pre>a\n  b</pre>", "a b"),
        ];
        for (source, want) in table {
            assert_eq!(full(source), want, "{source}");
        }
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(full("<p>&lt;b&gt; &amp;lt; &#x27;x&#39; &eacute; &nbsp;&amp;amp;"), "<b> &lt; 'x' é &amp;");
    }

    #[test]
    fn what_a_reader_does_not_see_is_left_out() {
        let hidden = [
            "<script>gone()</script>",
            "<style>gone {}</style>",
            "<template><p>gone</p></template>",
            "<noscript>gone</noscript>",
            "<!-- gone -->",
            "<p hidden>gone</p>",
            "<p style='color:red; Display : NONE !important'>gone</p>",
            "<p style=visibility:hidden>gone</p>",
            "<div aria-hidden=TRUE><p>gone</p></div>",
            "<svg><text>gone</text></svg>",
            "<iframe>gone</iframe>",
            "<head><title>gone</title></head>",
        ];
        for source in hidden {
            assert_eq!(full(&format!("<body>kept {source} too")), "kept too", "{source}");
        }
        assert_eq!(full("<body style='visibility:hidden' aria-hidden=true><p aria-hidden=false>kept</p>"), "kept");
        assert_eq!(full("<style>.a{display:none}</style><p>kept <i class=a>gone</i>too"), "kept too");
        assert_eq!(full("<style>main{visibility:hidden}</style><main><p>all of it</main>"), "all of it");
        assert_eq!(full("<p>se\u{200b}cr\u{ad}et\u{202e}</p>"), "secret");
    }

    #[test]
    fn the_title_comes_from_the_head_the_card_or_the_first_heading() {
        let table = [
            ("<title> A &amp;\n B </title><h1>C</h1>", Some("A & B")),
            ("<title></title><meta property='og:title' content='Card'><h1>C</h1>", Some("Card")),
            ("<h1>Head <i>ing</i></h1>", Some("Head ing")),
            ("<svg><title>icon</title></svg>", None),
        ];
        for (source, want) in table {
            assert_eq!(page_text(source, HtmlMode::Full).title.as_deref(), want, "{source}");
        }
    }

    #[test]
    fn main_content_leaves_the_surroundings_out() {
        let article =
            "<p>The article has several sentences, with commas, and says one thing at some length.</p>".repeat(8);
        let links = "<li><a href=x>Menu entry</a>".repeat(20);
        let page = page_text(&format!("<body><nav><ul>{links}</ul></nav><article>{article}</article>"), HtmlMode::Main);
        assert!(!page.fell_back);
        assert!(page.text.starts_with("The article has") && !page.text.contains("Menu"));
    }

    #[test]
    fn what_is_known_to_surround_an_article_is_no_part_of_it_unless_it_is_most_of_the_page() {
        let article = "<p>The article has several sentences, with commas, and says one thing at length.</p>".repeat(8);
        let page = |inside: &str| page_text(&format!("<body><div class=post>{inside}</div>"), HtmlMode::Main).text;
        let metadata =
            "<div class='x postmetadata'>Filed on Tuesday, the sixth of May, under <a href=x>things</a>.</div>";
        assert!(!page(&format!("{article}{metadata}")).contains("Filed on"));
        assert!(page(&format!("<div class=entry-meta>{article}</div>")).contains("The article has"));
    }

    #[test]
    fn a_page_without_a_main_content_keeps_its_full_text() {
        let links = "<li><a href=x>Entry of a directory</a>".repeat(200);
        let page = page_text(&format!("<body><div><p>Short.</p></div><ul>{links}</ul>"), HtmlMode::Main);
        assert!(page.text.contains("Entry of a directory") && page.text.contains("Short."));
        assert!(page_text("", HtmlMode::Main).text.is_empty());
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = format!("{}<p>bottom, and some words</p>", "<div><b>".repeat(50_000));
        for mode in [HtmlMode::Full, HtmlMode::Main] {
            assert_eq!(page_text(&deep, mode).text, "bottom, and some words");
        }
        assert_eq!(fragment_text(&deep).trim(), "bottom, and some words");
    }
}
