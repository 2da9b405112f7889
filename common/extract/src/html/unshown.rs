//! Articles that a page holds without showing them: for browsers without scripts (`noscript`), and for search engines (JSON-LD). They are
//! read only where the page shows no sentence, because no script runs here that would show it.

use dom_query::Document;
use precis_proto::BlockKind;
use precis_text::Leaf;
use serde_json::Value;

use super::fragment::fragment;
use super::{collapsed, linked_data, sentences};

/// Puts the contents of `noscript` elements in place of the elements, marked as closed. Those in the head hold sheets, which show what a
/// script would.
pub(super) fn show_for_no_scripts(document: &Document) {
    for node in document.select("noscript").nodes() {
        node.rename("div");
        collapsed::mark(node);
    }
}

/// The article in the JSON-LD of `document` that says most; empty if there is none.
pub(super) fn article_of_data(document: &Document) -> Vec<Leaf> {
    let mut best: Vec<Leaf> = Vec::new();
    for data in linked_data::of(document) {
        linked_data::each_object(&data, &mut |object| {
            let Some(body) = object.get("articleBody").and_then(Value::as_str) else { return };
            let found = article(object.get("headline").and_then(Value::as_str), body);
            if sentences::sentence_chars(&found) > sentences::sentence_chars(&best) {
                best = found;
            }
        });
    }
    best
}

/// The text of an article, which may be written with tags.
fn article(headline: Option<&str>, body: &str) -> Vec<Leaf> {
    let headline = headline.map(|text| Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, plain(text)) });
    let paragraphs = match body.contains("</") {
        true => fragment(body).0,
        false => body.lines().flat_map(|line| fragment(line).0).collect(),
    };
    let leaves = headline.into_iter().chain(paragraphs).filter(|leaf| !leaf.text.is_empty());
    leaves.map(|leaf| Leaf { is_collapsed: true, ..leaf }).collect()
}

fn plain(text: &str) -> String {
    precis_text::normalize(&precis_text::visible(text))
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;

    use super::super::linked_data::{MAX_DATA_BYTES, MAX_DEPTH};
    use super::super::page_text;
    use super::*;

    fn read(page: &str) -> Vec<(String, bool)> {
        let page = page_text(page, HtmlMode::Main);
        page.leaves.iter().map(|leaf| (leaf.text.clone(), leaf.is_collapsed)).collect()
    }

    const DATA: &str = r#"<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","headline":"Sold",
        "articleBody":"The tower was sold on Monday.\nThe buyer is a foundation."}]}</script>"#;

    #[test]
    fn an_article_that_only_data_or_noscript_hold_is_read_and_marked() {
        let from_data = read(&format!("<head>{DATA}</head><body><div id=root></div>"));
        let texts = ["Sold", "The tower was sold on Monday.", "The buyer is a foundation."];
        assert_eq!(from_data, texts.map(|text| (text.to_owned(), true)));
        let page =
            "<body><div>Loading…</div><noscript><article><p>The last bus leaves at 23:10.</p></article></noscript>";
        assert_eq!(read(page).last(), Some(&("The last bus leaves at 23:10.".to_owned(), true)));
        let sheet = "<head><style>.loading{visibility:hidden}</style><noscript><style>.loading{visibility:visible}</style></noscript></head>";
        let page = page.replace("<body>", "<body class=loading>").replace("<article>", "<article class=loading>");
        assert_eq!(read(&format!("{sheet}{page}")).last(), Some(&("The last bus leaves at 23:10.".to_owned(), true)));
    }

    #[test]
    fn what_a_page_shows_is_read_alone() {
        let shown = "<p>The tower was not sold at all.</p>";
        let noscript = "<noscript><p>The last bus leaves at 23:10.</p></noscript>";
        let read = read(&format!("<head>{DATA}</head><body>{shown}{noscript}"));
        assert_eq!(read, [("The tower was not sold at all.".to_owned(), false)]);
    }

    #[test]
    fn data_is_read_up_to_a_size_and_depth() {
        for (bytes, is_read) in [(MAX_DATA_BYTES - 1, true), (MAX_DATA_BYTES, true), (MAX_DATA_BYTES + 1, false)] {
            let data = r#"{"articleBody":"The tower was sold on Monday."}"#;
            let page = format!("<script type='application/ld+json'>{data}{}</script>", " ".repeat(bytes - data.len()));
            assert_eq!(!article_of_data(&Document::from(page)).is_empty(), is_read, "{bytes}");
        }
        for (depth, is_read) in [(MAX_DEPTH - 1, true), (MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let data = format!(
                r#"{}{{"articleBody":"The tower was sold on Monday."}}{}"#,
                "[".repeat(depth),
                "]".repeat(depth)
            );
            let page = format!("<script type='application/ld+json'>{data}</script>");
            assert_eq!(!article_of_data(&Document::from(page)).is_empty(), is_read, "{depth}");
        }
    }
}
