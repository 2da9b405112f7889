//! HTML to text: the whole page as a reader sees it, or its main content.
//!
//! A single parser decodes entities, once. [`nesting_limit`] limits the input of that parser, [`hidden`] removes what a reader does not
//! see, [`xhtml`] adds the end tags that only XML may omit, [`main_content`] chooses the part that is the article. [`walk`] traverses the
//! tree; [`roles`] classifies its elements and [`blocks`] assembles them to leaves, with what [`typography`] says about the
//! text, the numbers from [`lists`] and without invisible characters. [`metadata`] reads what the head says. Nothing is fetched.
//!
//! What a page shows and no text of it says is added: the marks of [`quotations`], what fields show ([`form_state`]), and the texts that
//! sheets generate ([`generated`], [`generated_content`], [`generated_texts`]) with what they count ([`counter_list`], [`counters`]).
//!
//! An element is judged by its look ([`text_look`]) under the declarations that apply to it ([`cascade`]): its own, and those of the rules
//! ([`css`]) whose selectors ([`selector`]) select it ([`selector_match`], [`style_sheets`]). [`declarations`] are read as [`css_text`],
//! their values as [`declared_values`] with [`variables`], [`css_math`], [`css_value`], [`css_color`] and [`css_shape`].

#[cfg(test)]
mod article_tests;
#[cfg(test)]
mod block_tests;
mod blocks;
mod cascade;
mod collapsed;
mod counter_list;
mod counters;
#[cfg(test)]
mod counting_tests;
mod css;
mod css_color;
mod css_math;
mod css_shape;
mod css_text;
mod css_tokens;
mod css_value;
mod declarations;
mod declared_boxes;
mod declared_values;
mod displayed;
mod edges;
mod element_names;
mod form_state;
mod fragment;
mod generated;
mod generated_content;
mod generated_texts;
mod heuristics;
mod hidden;
#[cfg(test)]
mod hiding_tests;
mod leads;
mod linked_data;
mod lists;
mod main_content;
mod metadata;
mod nesting_limit;
mod number_styles;
mod picture_credits;
mod points;
mod property;
mod quotations;
mod removal;
mod roles;
mod selector;
mod selector_match;
#[cfg(test)]
mod selector_tests;
mod sentences;
#[cfg(test)]
mod sheet_tests;
mod style_sheets;
mod surroundings;
mod teasers;
mod text_length;
mod text_look;
mod text_sizes;
mod text_traits;
mod traits;
mod typography;
mod unapplied;
mod units;
mod unshown;
mod variables;
mod walk;
mod xhtml;

pub(super) use fragment::fragment;
pub(super) use xhtml::expand_self_closing;

use std::borrow::Cow;

use dom_query::Document;
use precis_proto::extraction::HtmlMode;
use precis_text::{Leaf, normalize, visible};

use super::runs::LeftOut;
use hidden::HidingBelief;
use metadata::PageMetadata;
use surroundings::RemovedSurroundings;
use text_length::chars;
use unapplied::Unapplied;

/// A page and its title.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HtmlText {
    /// From the page's head or first heading.
    pub(super) title: Option<String>,
    /// What the page says about itself in its head; empty if it has no text.
    pub(super) fields: Vec<Leaf>,
    /// Its text, each leaf normalized.
    pub(super) leaves: Vec<Leaf>,
    /// Whether this is the full text because no main content could be found.
    pub(super) fell_back: bool,
    /// What it does not say.
    pub(super) left_out: LeftOut,
    /// Characters around the article that are not part of it.
    pub(super) around: RemovedSurroundings,
    /// The remark about style sheets that were not applied in full.
    pub(super) unapplied: Option<String>,
}

/// The text of the page `source`, which is already decoded to characters.
pub(super) fn page_text(source: &str, mode: HtmlMode) -> HtmlText {
    let source = if xhtml::is_xml(source) { Cow::Owned(expand_self_closing(source)) } else { Cow::Borrowed(source) };
    let source = nesting_limit::limit_nesting(&source);
    let document = Document::from(source.as_ref());
    let title = title(&document);
    let metadata = PageMetadata::of(&document);
    let descriptions = leads::descriptions(&document);
    let seen = shown_or_held(document, &source);
    let VisiblePage { document, leaves: full, left_out, unapplied, is_held } = seen;
    let main = match mode {
        HtmlMode::Full => None,
        HtmlMode::Main => main_content::of(document, chars(&full), &descriptions),
    };
    let fell_back = main.is_none() && mode == HtmlMode::Main && !is_held;
    let (leaves, around) = main.map_or((full, RemovedSurroundings::default()), |main| (main.leaves, main.removed));
    let fields = if leaves.is_empty() { Vec::new() } else { metadata.fields(title.as_deref(), &leaves) };
    HtmlText { title, fields, leaves, fell_back, left_out, around, unapplied: unapplied.remark() }
}

/// What the page shows; if it shows no sentence, what it holds for browsers without scripts or for search engines, whichever says more.
fn shown_or_held(document: Document, source: &str) -> VisiblePage {
    let data = unshown::article_of_data(&document);
    let shown = visible_page(document, source, false);
    if sentences::sentence_chars(&shown.leaves) > 0 {
        return shown;
    }
    let without_scripts = Document::from(source);
    unshown::show_for_no_scripts(&without_scripts);
    let without_scripts = visible_page(without_scripts, source, false);
    let said = sentences::sentence_chars(&without_scripts.leaves);
    match sentences::sentence_chars(&data) {
        0 if said == 0 => shown,
        of_data if of_data <= said => without_scripts,
        _ => VisiblePage {
            document: Document::default(),
            leaves: data,
            left_out: shown.left_out,
            unapplied: shown.unapplied,
            is_held: true,
        },
    }
}

/// A page without its invisible parts.
struct VisiblePage {
    document: Document,
    leaves: Vec<Leaf>,
    left_out: LeftOut,
    unapplied: Unapplied,
    /// Whether the text is not of the document, but of data in the page.
    is_held: bool,
}

/// The visible part of `document`, parsed from `source`. A page that hides all of itself, or fades out more than it shows, would show it
/// once its script has run, so less of the hiding is believed then.
fn visible_page(document: Document, source: &str, is_article: bool) -> VisiblePage {
    let look = |document: Document, belief: HidingBelief| {
        let removed = hidden::prune(&document, belief);
        quotations::write_out(&document);
        form_state::note(&document);
        let (leaves, struck) = walk::leaves(&document.root(), is_article);
        let left_out = LeftOut { hidden: removed.chars, struck, ..LeftOut::default() };
        (VisiblePage { document, leaves, left_out, unapplied: removed.unapplied, is_held: false }, removed.faded)
    };
    let (mut seen, faded) = look(document, HidingBelief::All);
    if faded > chars(&seen.leaves) as u64 {
        // Parsed again, because the first look has removed nodes from the document.
        seen = look(Document::from(source), HidingBelief::NotFading).0;
    }
    if seen.leaves.is_empty() {
        seen = look(Document::from(source), HidingBelief::OwnWords).0;
    }
    seen
}

/// The units into which the page `source` is divided before some are left out: the text of each, and the step of each of its traits, in the
/// order of [`points`]. For the fitting of these points, which are measured; no reader calls it.
#[must_use]
pub fn units_of_page(source: &str) -> Vec<(String, Vec<u8>)> {
    let source = nesting_limit::limit_nesting(source);
    let VisiblePage { document, leaves, .. } = shown_or_held(Document::from(source.as_ref()), &source);
    main_content::unit_traits(document, chars(&leaves))
}

/// The names of the traits, in the order in which [`units_of_page`] gives them.
#[must_use]
pub fn names_of_traits() -> Vec<&'static str> {
    points::POINTS.iter().map(|(name, _)| *name).collect()
}

/// The visible text of the document `source`, which is an article without a site around it, and what it does not say.
pub(super) fn article(source: &str) -> (Vec<Leaf>, LeftOut) {
    let source = nesting_limit::limit_nesting(source);
    let seen = visible_page(Document::from(source.as_ref()), &source, true);
    (seen.leaves, seen.left_out)
}

/// Whether the start tag `tag` hides the content up to its end tag.
pub(super) fn hides_its_content(tag: &str) -> bool {
    hidden::hides_its_content(&Document::fragment(nesting_limit::limit_nesting(tag).as_ref()))
}

/// `<title>`, otherwise `og:title`, otherwise the first `<h1>`.
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
    use precis_text::CanonicalText;

    use super::*;

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
            ("<p>w<b>or</b>d<i>s</i> H<sub>2</sub>O</p>", "words H₂O"),
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
    fn known_page_surroundings_are_dropped_unless_they_are_most_of_it() {
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
