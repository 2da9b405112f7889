//! What a page says about itself in its head: title, author, date and canonical address, from `meta` elements, links, and JSON-LD of
//! articles (schema.org).

use dom_query::Document;
use precis_language::words::lower_words;
use precis_proto::{BlockKind, FieldPlace};
use precis_text::{Leaf, normalize, visible};
use serde_json::{Map, Value};

use super::super::fields;
use super::linked_data;

/// Where pages name their authors: HTML, Dublin Core, Highwire Press.
const AUTHORS: &str = "meta[name='author' i], meta[property='author' i], meta[property='article:author' i], meta[name='dc.creator' i], \
     meta[name='dcterms.creator' i], meta[name='citation_author' i], meta[name='parsely-author' i]";
/// Where pages give the day on which they were published.
const DATES: &str = "meta[property='article:published_time' i], meta[name='article:published_time' i], meta[name='date' i], \
     meta[name='dc.date' i], meta[name='dc.date.issued' i], meta[name='dcterms.date' i], meta[name='dcterms.created' i], \
     meta[name='citation_publication_date' i], meta[name='citation_date' i], meta[name='pubdate' i], meta[itemprop='datePublished' i]";
/// Ends of the types of schema.org that are articles: `NewsArticle`, `BlogPosting`.
const ARTICLES: [&str; 3] = ["Article", "Posting", "Report"];
/// Most authors of a page; papers of large experiments have thousands, which nobody reads.
const MAX_AUTHORS: usize = 20;
/// Longest value, in characters; longer ones are no names.
const MAX_VALUE_CHARS: usize = 500;

/// What a page says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PageMetadata {
    authors: Vec<String>,
    /// A day, written as in ISO 8601.
    date: Option<String>,
    address: Option<String>,
}

impl PageMetadata {
    /// The metadata of `document`, of which nothing has been removed yet.
    pub(super) fn of(document: &Document) -> Self {
        let contents = |selector: &str| -> Vec<String> {
            let nodes = document.select(selector);
            let values = nodes.nodes().iter().map(|node| node.attr_or("content", "").to_string());
            values.filter_map(|value| value_words(&value)).collect()
        };
        let mut found = Self {
            authors: contents(AUTHORS),
            date: contents(DATES).iter().find_map(|date| day(date)),
            address: canonical_address(document),
        };
        for data in linked_data::of(document) {
            linked_data::each_object(&data, &mut |object| found.take_article(object));
        }
        found.authors.retain(|author| !fields::is_author_made_up(author) && !author.contains("://"));
        let mut seen = Vec::new();
        found.authors.retain(|author| {
            let is_new = !seen.contains(author);
            seen.push(author.clone());
            is_new
        });
        found.authors.truncate(MAX_AUTHORS);
        found
    }

    /// Adds what the JSON-LD of an article says and the head does not.
    fn take_article(&mut self, object: &Map<String, Value>) {
        let types = object.get("@type").map_or(Vec::new(), strings);
        if !types.iter().any(|kind| ARTICLES.iter().any(|end| kind.ends_with(end))) {
            return;
        }
        if self.authors.is_empty() {
            self.authors =
                object.get("author").map_or(Vec::new(), strings).iter().filter_map(|name| value_words(name)).collect();
        }
        let date = object.get("datePublished").and_then(Value::as_str);
        self.date = self.date.take().or_else(|| day(date?));
    }

    /// The fields of a page whose text is `leaves`; `title` is that of its head.
    pub(super) fn fields(&self, title: Option<&str>, leaves: &[Leaf]) -> Vec<Leaf> {
        let title = title.filter(|title| !fields::is_title_made_up(title) && !says(leaves, title));
        let authors = self.authors.join(", ");
        let given = [
            ("title", title),
            ("author", Some(authors.as_str())),
            ("date", self.date.as_deref()),
            ("address", self.address.as_deref()),
        ];
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
        given.filter_map(|(name, value)| fields::leaf(name, value, FieldPlace::Metadata)).collect()
    }
}

/// The address that the page gives as its own: that of its copies, too.
fn canonical_address(document: &Document) -> Option<String> {
    let link = document.select_single("link[rel='canonical' i]").attr_or("href", "").to_string();
    let card = || document.select_single("meta[property='og:url']").attr_or("content", "").to_string();
    let is_address = |text: &String| {
        let is_web = text.starts_with("https://") || text.starts_with("http://");
        is_web && !text.contains(char::is_whitespace) && text.chars().count() <= MAX_VALUE_CHARS
    };
    Some(link.trim().to_owned()).filter(is_address).or_else(|| Some(card().trim().to_owned()).filter(is_address))
}

/// The words of a value; `None` if it has none or is too long.
fn value_words(value: &str) -> Option<String> {
    let value = normalize(&visible(value));
    (!value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS).then_some(value)
}

/// The strings in a value, or the names of the objects in it.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().filter(|part| !part.is_array()).flat_map(strings).collect(),
        Value::Object(object) => object.get("name").and_then(Value::as_str).into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The day of `date`, which is written `2024-05-03T…` or `2024/05/03`.
fn day(date: &str) -> Option<String> {
    fields::day(&date.trim().replace('/', "-")).map(str::to_owned)
}

/// Whether one of the headings of `leaves` is `title`, or the part of it that is not the name of the site.
fn says(leaves: &[Leaf], title: &str) -> bool {
    let title = format!(" {} ", lower_words(title).join(" "));
    let headings = leaves.iter().filter(|leaf| leaf.kind == BlockKind::Heading);
    headings.map(|leaf| lower_words(&leaf.text).join(" ")).any(|heading| {
        !heading.is_empty() && title.contains(&format!(" {heading} ")) && heading.len() * 2 >= title.trim().len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(head: &str, body: &[Leaf]) -> Vec<String> {
        let document = Document::from(format!("<head>{head}</head><body>"));
        let title = document.select_single("title").text().to_string();
        let title = Some(title.as_str()).filter(|title| !title.is_empty());
        PageMetadata::of(&document).fields(title, body).into_iter().map(|leaf| leaf.text).collect()
    }

    #[test]
    fn a_page_says_its_title_author_date_and_address_in_its_head() {
        let head = "<title>Tower sold - The Paper</title><meta name=Author content='Ida  Lund'><meta property=article:published_time \
             content=2024-05-03T10:00:00Z><link rel=canonical href=https://paper.example/tower>";
        let want = [
            "title: Tower sold - The Paper",
            "author: Ida Lund",
            "date: 2024-05-03",
            "address: https://paper.example/tower",
        ];
        assert_eq!(read(head, &[]), want);
        let heading = |text: &str| Leaf::new(BlockKind::Heading, text);
        assert_eq!(read(head, &[heading("Tower sold")]), want[1..]);
        assert_eq!(read(head, &[heading("News")]), want);
    }

    #[test]
    fn data_of_an_article_says_what_the_head_does_not() {
        let data = |kind: &str| {
            format!(
                r#"<script type="application/ld+json">{{"@graph":[{{"@type":{kind},"datePublished":"2024-05-03T10:00:00+02:00",
                "author":[{{"@type":"Person","name":"Ida Lund"}},{{"name":"Cem Kaya"}}]}}]}}</script>"#
            )
        };
        for kind in [r#""NewsArticle""#, r#"["Thing","BlogPosting"]"#] {
            assert_eq!(read(&data(kind), &[]), ["author: Ida Lund, Cem Kaya", "date: 2024-05-03"], "{kind}");
        }
        assert_eq!(read(&data(r#""Product""#), &[]), [""; 0]);
        let both = format!("<meta name=author content='Eva Stern'>{}", data(r#""NewsArticle""#));
        assert_eq!(read(&both, &[]), ["author: Eva Stern", "date: 2024-05-03"]);
    }

    #[test]
    fn what_says_nothing_is_no_field() {
        for head in [
            "<title>Untitled</title>",
            "<meta name=author content=admin>",
            "<meta property=article:author content=https://facebook.example/paper>",
            "<meta name=date content=soon>",
            "<link rel=canonical href=/here>",
            "<link rel=canonical href='javascript:alert(1)'>",
        ] {
            assert_eq!(read(head, &[]), [""; 0], "{head}");
        }
    }

    #[test]
    fn listed_authors_are_limited_in_count_and_length() {
        for (given, listed) in
            [(MAX_AUTHORS - 1, MAX_AUTHORS - 1), (MAX_AUTHORS, MAX_AUTHORS), (MAX_AUTHORS + 1, MAX_AUTHORS)]
        {
            let head: String = (0..given).map(|n| format!("<meta name=citation_author content='Ida {n}x'>")).collect();
            assert_eq!(read(&head, &[])[0].matches("Ida").count(), listed, "{given}");
        }
        for (chars, fields) in [(MAX_VALUE_CHARS - 1, 1), (MAX_VALUE_CHARS, 1), (MAX_VALUE_CHARS + 1, 0)] {
            let head = format!("<meta name=author content='{}'>", "a".repeat(chars));
            assert_eq!(read(&head, &[]).len(), fields, "{chars}");
        }
    }
}
