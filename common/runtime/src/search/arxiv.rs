//! arXiv's search: a GET that returns Atom. Terms are joined by `OR` and sorted by relevance; a question joined by `AND` finds nothing.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::failure::{ProviderFailure, SearchCode};
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below, with};
use super::result_page::{RawHit, ResultPage, bad};

/// Most terms of a query; further terms add hits that match little of it.
const MAX_TERMS: usize = 12;
/// English stop words.
const EMPTY: [&str; 40] = [
    "a", "an", "and", "andnot", "are", "as", "at", "be", "by", "can", "could", "did", "do", "does", "for", "from",
    "has", "have", "how", "in", "is", "it", "its", "not", "of", "on", "or", "that", "the", "their", "this", "to",
    "was", "were", "what", "when", "which", "who", "why", "with",
];

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let parameters = [
        ("search_query", query(asked)),
        ("start", "0".to_owned()),
        ("max_results", asked.results.to_string()),
        ("sortBy", "relevance".to_owned()),
        ("sortOrder", "descending".to_owned()),
    ];
    ProviderRequest { url: with(below(own.base, &["query"]), &parameters), body: None }
}

fn query(asked: &ProviderQuery<'_>) -> String {
    let words = |keep: fn(&str) -> bool| {
        let words =
            asked.query.split(|c: char| !c.is_alphanumeric() && c != '-').map(|w| w.trim_matches('-').to_lowercase());
        let mut terms: Vec<String> = Vec::new();
        for word in words.filter(|word| !word.is_empty() && keep(word)) {
            if !terms.contains(&word) && terms.len() < MAX_TERMS {
                terms.push(word);
            }
        }
        terms
    };
    let mut terms = words(|word| !EMPTY.contains(&word));
    if terms.is_empty() {
        terms = words(|_| true);
    }
    let any = terms.iter().map(|term| format!("all:{term}")).collect::<Vec<_>>().join(" OR ");
    match asked.since {
        Some(since) => {
            let (from, to) = (since.strftime("%Y%m%d"), asked.today.strftime("%Y%m%d"));
            format!("({any}) AND submittedDate:[{from}0000 TO {to}2359]")
        }
        None => any,
    }
}

pub(super) fn answer(body: &[u8]) -> Result<ResultPage, ProviderFailure> {
    let Ok(text) = std::str::from_utf8(body) else { return Err(bad("the response is not UTF-8")) };
    let mut feed = Feed::default();
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => feed.open(tag.local_name().as_ref()),
            Ok(Event::Empty(_)) => {}
            Ok(Event::End(tag)) => feed.close(tag.local_name().as_ref()),
            Ok(Event::Text(text)) => feed.text(&String::from_utf8_lossy(&text)),
            Ok(Event::CData(text)) => feed.text(&String::from_utf8_lossy(&text)),
            Ok(Event::GeneralRef(reference)) => {
                let named =
                    || quick_xml::escape::resolve_xml_entity(&String::from_utf8_lossy(&reference)).map(str::to_owned);
                let text = reference.resolve_char_ref().ok().flatten().map(String::from).or_else(named);
                feed.text(&text.unwrap_or_default());
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Ok(Event::Eof) => break,
            Err(_) => return Err(bad("the response is not valid Atom: malformed markup")),
        }
    }
    feed.page()
}

/// The parsed part of a feed. Only the innermost element name is kept, so deep nesting costs no memory.
#[derive(Debug, Default)]
struct Feed {
    is_feed: bool,
    is_whole: bool,
    entry: Option<RawHit>,
    field: Option<FeedField>,
    hits: Vec<RawHit>,
}

#[derive(Debug, Clone, Copy)]
enum FeedField {
    Id,
    Title,
    Summary,
    Published,
}

impl Feed {
    fn open(&mut self, name: &[u8]) {
        match name {
            b"feed" => self.is_feed = true,
            b"entry" => self.entry = Some(RawHit::default()),
            _ => {}
        }
        self.field = match name {
            b"id" => Some(FeedField::Id),
            b"title" => Some(FeedField::Title),
            b"summary" => Some(FeedField::Summary),
            b"published" => Some(FeedField::Published),
            _ => None,
        };
    }

    fn close(&mut self, name: &[u8]) {
        self.field = None;
        match name {
            b"entry" => self.hits.extend(self.entry.take()),
            b"feed" => self.is_whole = true,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let (Some(entry), Some(field)) = (&mut self.entry, self.field) else { return };
        match field {
            FeedField::Id => entry.url.push_str(text),
            FeedField::Title => entry.title.push_str(text),
            FeedField::Summary => entry.snippet.push_str(text),
            FeedField::Published => entry.published.get_or_insert_default().push_str(text),
        }
    }

    fn page(mut self) -> Result<ResultPage, ProviderFailure> {
        if !self.is_feed || !self.is_whole {
            return Err(bad("the response is not a complete Atom feed"));
        }
        // arXiv reports an error as an ordinary entry; only its URL shows it.
        if self.hits.iter().any(|hit| hit.url.contains("/api/errors")) {
            return Err(ProviderFailure::new(SearchCode::Refused, "arXiv rejected the query"));
        }
        for hit in &mut self.hits {
            hit.url = hit.url.trim().to_owned();
            hit.text = Some(hit.snippet.clone()).filter(|text| !text.trim().is_empty());
        }
        Ok(ResultPage::from_hits(self.hits))
    }
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn question_words_are_joined_so_that_any_may_match() {
        for (question, terms) in [
            ("What is the self-attention of a transformer?", "all:self-attention OR all:transformer"),
            ("dams AND dams OR \"weirs\"", "all:dams OR all:weirs"),
            ("who is it", "all:who OR all:is OR all:it"),
            ("all:evil) ANDNOT (x", "all:all OR all:evil OR all:x"),
        ] {
            assert_eq!(query(&provider_query(question)), terms);
        }
        let many = (0..20).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(query(&provider_query(&many)).matches("all:").count(), MAX_TERMS);
        let since = Some(jiff::civil::date(2024, 2, 29));
        let (url, _) = request_parts(SearchKind::Arxiv, &ProviderQuery { since, ..provider_query("dams weirs") });
        assert_eq!(
            url,
            "https://export.arxiv.org/api/query?search_query=%28all%3Adams+OR+all%3Aweirs%29+AND+submittedDate%3A%5B202402290000+TO+202607012359%5D\
             &start=0&max_results=2&sortBy=relevance&sortOrder=descending"
        );
    }

    const FEED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
          <title type="html">ArXiv Query: search_query=all:x</title><id>http://arxiv.org/api/abc</id>
          <opensearch:totalResults>1</opensearch:totalResults>
          <entry><id>http://arxiv.org/abs/1706.03762v7</id><published>2017-06-12T17:57:34Z</published>
            <title>Attention Is
              All &amp; More</title><summary>  We show a &lt; b &#8211; always.</summary>
            <author><name>A. Vaswani</name></author><link title="pdf" href="http://arxiv.org/pdf/1706.03762v7" rel="related"/></entry>
        </feed>"#;

    #[test]
    fn a_feed_as_recorded_is_read() {
        let page = read(SearchKind::Arxiv, FEED).expect("a feed");
        let hit = &page.hits[0];
        assert_eq!(
            (hit.url.as_str(), hit.published.as_deref()),
            ("http://arxiv.org/abs/1706.03762v7", Some("2017-06-12T17:57:34Z"))
        );
        assert!(hit.title.ends_with("All & More") && hit.snippet.contains("a < b – always"), "{hit:?}");
        let nothing = FEED.split("<entry>").next().unwrap_or_default().to_owned() + "</feed>";
        assert_eq!(read(SearchKind::Arxiv, &nothing).expect("nothing found").hits, []);
    }

    #[test]
    fn half_a_feed_and_an_error_in_a_feed_are_failures() {
        let torn = &FEED[..FEED.len() / 2];
        assert_eq!(read(SearchKind::Arxiv, torn).expect_err("torn").code, SearchCode::BadAnswer);
        let error =
            FEED.replace("http://arxiv.org/abs/1706.03762v7", "http://arxiv.org/api/errors#incorrect_id_format");
        assert_eq!(read(SearchKind::Arxiv, &error).expect_err("an error").code, SearchCode::Refused);
        let nested = "<feed>".to_owned() + &"<a>".repeat(200_000);
        assert_eq!(read(SearchKind::Arxiv, &nested).expect_err("deep").code, SearchCode::BadAnswer);
        let bomb = format!(
            "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><feed><entry><id>http://x.org</id><title>{}</title></entry></feed>",
            "&a;".repeat(1_000)
        );
        assert_eq!(read(SearchKind::Arxiv, &bomb).expect("nothing unfolds").hits[0].title, "");
    }
}
