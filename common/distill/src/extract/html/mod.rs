//! HTML to text: what a reader sees of the whole page, or of its main content.
//!
//! One parser decodes entities, once. [`nesting_limit`] bounds what that parser is given, [`hidden`] removes what a reader does not see,
//! by what the rules of [`css`] with their [`declarations`] make of its look ([`text_look`]), [`xhtml`] writes out what only XML leaves
//! out, [`main_content`] chooses the part that is the article. [`walk`] goes over the tree; what it meets is told by [`roles`] and put
//! together by [`blocks`], with the numbers of [`lists`] and without the characters that show nothing. Addresses are not known here, and
//! nothing is fetched.

#[cfg(test)]
mod block_tests;
mod blocks;
mod css;
mod declarations;
mod hidden;
#[cfg(test)]
mod hiding_tests;
mod lists;
mod main_content;
mod nesting_limit;
mod roles;
mod text_length;
mod text_look;
mod walk;
mod xhtml;

pub(super) use xhtml::expanded;

use std::borrow::Cow;

use dom_query::Document;
use hidden::HidingBelief;

use super::limits::HtmlMode;
use crate::text::{Leaf, normalize, visible};
use text_length::chars;

/// A page and its title.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HtmlText {
    /// From the page's head or first heading.
    pub(super) title: Option<String>,
    /// Its text, each leaf normalised.
    pub(super) leaves: Vec<Leaf>,
    /// Whether the full text stands in for the main content asked for.
    pub(super) fell_back: bool,
    /// Characters that the page hides from its readers, white space not counted.
    pub(super) hidden: u64,
}

/// Text of the page `source`, already decoded to characters.
pub(super) fn page_text(source: &str, mode: HtmlMode) -> HtmlText {
    let source = if xhtml::is_xml(source) { Cow::Owned(expanded(source)) } else { Cow::Borrowed(source) };
    let source = nesting_limit::bounded(&source);
    let document = Document::from(source.as_ref());
    let title = title(&document);
    let seen = seen(document, &source, false);
    let (document, full, hidden) = (seen.document, seen.leaves, seen.hidden);
    match mode {
        HtmlMode::Full => HtmlText { title, leaves: full, fell_back: false, hidden },
        HtmlMode::Main => match main_content::of(document, chars(&full)) {
            Some(main) => HtmlText { title, leaves: main, fell_back: false, hidden },
            None => HtmlText { title, leaves: full, fell_back: true, hidden },
        },
    }
}

/// A page without what nobody sees.
struct VisiblePage {
    document: Document,
    leaves: Vec<Leaf>,
    hidden: u64,
}

/// What a reader sees of `document`, made of `source`. A page that hides all of itself, or fades more than it shows, shows it once its
/// script has run.
fn seen(document: Document, source: &str, is_article: bool) -> VisiblePage {
    let look = |document: Document, belief: HidingBelief| {
        let removed = hidden::prune(&document, belief);
        let leaves = walk::leaves(&document.root(), is_article);
        (VisiblePage { document, leaves, hidden: removed.chars }, removed.faded)
    };
    let (mut seen, faded) = look(document, HidingBelief::All);
    if faded > chars(&seen.leaves) as u64 {
        seen = look(Document::from(source), HidingBelief::NotFading).0;
    }
    if seen.leaves.is_empty() {
        seen = look(Document::from(source), HidingBelief::OwnWords).0;
    }
    seen
}

/// Everything a reader sees of the document `source`, which is a text without a site around it, and how many characters are hidden.
pub(super) fn article(source: &str) -> (Vec<Leaf>, u64) {
    let source = nesting_limit::bounded(source);
    let seen = seen(Document::from(source.as_ref()), &source, true);
    (seen.leaves, seen.hidden)
}

/// Everything a reader sees of a piece of HTML, and how many characters are hidden.
pub(super) fn fragment(source: &str) -> (Vec<Leaf>, u64) {
    let document = Document::fragment(nesting_limit::bounded(source).as_ref());
    let removed = hidden::prune(&document, HidingBelief::All);
    (walk::leaves(&document.root(), true), removed.chars)
}

/// Whether the start tag `tag` hides what follows it up to its end tag.
pub(super) fn hides_its_content(tag: &str) -> bool {
    hidden::hides_its_content(&Document::fragment(nesting_limit::bounded(tag).as_ref()))
}

/// `<title>`, else `og:title`, else the first `<h1>`.
fn title(document: &Document) -> Option<String> {
    let text_of = |selector: &str| document.select_single(selector).text().to_string();
    let candidates: [&dyn Fn() -> String; 3] = [
        &|| text_of("head > title"),
        &|| document.select_single("meta[property='og:title']").attr_or("content", "").to_string(),
        &|| text_of("h1"),
    ];
    candidates.iter().map(|candidate| normalize(&visible(&candidate()))).find(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::CanonicalText;

    fn full(source: &str) -> String {
        text(&page_text(source, HtmlMode::Full).leaves)
    }

    fn text(leaves: &[Leaf]) -> String {
        let text = CanonicalText::from_leaves(leaves).as_str().to_owned();
        assert_eq!(chars(leaves), text.chars().count());
        text
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
        let text = text(&page.leaves);
        assert!(text.starts_with("The article has") && !text.contains("Menu"));
    }

    #[test]
    fn what_is_known_to_surround_an_article_is_no_part_of_it_unless_it_is_most_of_the_page() {
        let article = "<p>The article has several sentences, with commas, and says one thing at length.</p>".repeat(8);
        let page =
            |inside: &str| text(&page_text(&format!("<body><div class=post>{inside}</div>"), HtmlMode::Main).leaves);
        let metadata =
            "<div class='x postmetadata'>Filed on Tuesday, the sixth of May, under <a href=x>things</a>.</div>";
        assert!(!page(&format!("{article}{metadata}")).contains("Filed on"));
        assert!(page(&format!("<div class=entry-meta>{article}</div>")).contains("The article has"));
    }

    #[test]
    fn a_page_without_a_main_content_keeps_its_full_text() {
        let links = "<li><a href=x>Entry of a directory</a>".repeat(200);
        let page = page_text(&format!("<body><div><p>Short.</p></div><ul>{links}</ul>"), HtmlMode::Main);
        let text = text(&page.leaves);
        assert!(text.contains("Entry of a directory") && text.contains("Short."));
        assert!(page_text("", HtmlMode::Main).leaves.is_empty());
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = format!("{}<p>bottom, and some words</p>", "<div><b>".repeat(50_000));
        for mode in [HtmlMode::Full, HtmlMode::Main] {
            assert_eq!(text(&page_text(&deep, mode).leaves), "bottom, and some words");
        }
        assert_eq!(text(&fragment(&deep).0), "bottom, and some words");
    }
}
