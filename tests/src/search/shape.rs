//! Requests and answers in the shape of each provider, as their documentation of 2026 has them.

use precis_runtime::search::SearchKind;
use serde_json::{Map, Value, json};

use super::pages::Page;

/// The words of a request and how many results it wants; as many as it takes where the provider has no field for that.
pub(super) fn asked(kind: SearchKind, parameters: &Map<String, Value>, body: &Value) -> (String, usize) {
    let (query, count) = match kind {
        SearchKind::Tavily | SearchKind::Perplexity => (&body["query"], &body["max_results"]),
        SearchKind::Exa => (&body["query"], &body["numResults"]),
        SearchKind::Brave => (at(parameters, "q"), at(parameters, "count")),
        SearchKind::Searxng => (at(parameters, "q"), &Value::Null),
        SearchKind::SemanticScholar => (at(parameters, "query"), at(parameters, "limit")),
        SearchKind::Openalex => (at(parameters, "search"), at(parameters, "per_page")),
        SearchKind::Crossref => (at(parameters, "query.bibliographic"), at(parameters, "rows")),
        SearchKind::Arxiv => (at(parameters, "search_query"), at(parameters, "max_results")),
        SearchKind::Wikipedia => (at(parameters, "srsearch"), at(parameters, "srlimit")),
        SearchKind::Google => (at(parameters, "q"), at(parameters, "num")),
    };
    let text = query.as_str().unwrap_or_default();
    // What is arXiv's syntax and no word.
    let query = if kind == SearchKind::Arxiv { text.replace("all:", "").replace(" OR ", " ") } else { text.to_owned() };
    let count = count.as_u64().or_else(|| count.as_str().and_then(|text| text.parse().ok()));
    (query, count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX)))
}

fn at<'a>(parameters: &'a Map<String, Value>, name: &str) -> &'a Value {
    parameters.get(name).unwrap_or(&Value::Null)
}

/// `pages` as an answer of `kind`.
pub(crate) fn answer(kind: SearchKind, query: &str, pages: &[Page]) -> String {
    if kind == SearchKind::Arxiv {
        return feed(pages);
    }
    let rows = |row: fn(&Page) -> Value| pages.iter().map(row).collect::<Vec<_>>();
    let answer = match kind {
        SearchKind::Tavily => {
            json!({ "query": query, "answer": null, "images": [], "response_time": 0.1, "request_id": "r",
            "results": rows(|p| json!({ "title": p.title, "url": p.url, "content": p.text, "score": 0.5, "raw_content": null,
                "published_date": p.published })) })
        }
        SearchKind::Brave => json!({ "type": "search", "query": { "original": query },
            "web": { "type": "search", "results": rows(|p| json!({ "title": p.title, "url": p.url,
                "description": format!("<strong>{}</strong>", p.text), "page_age": p.published })) } }),
        SearchKind::Exa => json!({ "requestId": "r", "resolvedSearchType": "neural", "costDollars": { "total": 0.007 },
            "results": rows(|p| json!({ "id": p.url, "url": p.url, "title": p.title, "publishedDate": p.published, "author": null,
                "highlights": [p.text] })) }),
        SearchKind::Searxng => {
            json!({ "query": query, "number_of_results": 0, "answers": [], "corrections": [], "infoboxes": [],
            "suggestions": [], "unresponsive_engines": [],
            "results": rows(|p| json!({ "url": p.url, "title": p.title, "content": p.text, "engine": "e", "engines": ["e"],
                "score": 1.0, "category": "general", "publishedDate": p.published })) })
        }
        SearchKind::SemanticScholar => json!({ "total": pages.len(), "offset": 0,
            "data": rows(|p| json!({ "paperId": "p", "title": p.title, "abstract": p.text, "url": "https://www.semanticscholar.org/paper/p",
                "year": null, "publicationDate": p.published, "externalIds": {}, "openAccessPdf": { "url": p.url }, "tldr": null })) }),
        SearchKind::Openalex => json!({ "meta": { "count": pages.len() }, "group_by": [],
            "results": rows(|p| json!({ "id": "https://openalex.org/W1", "doi": null, "display_name": p.title, "publication_date": p.published,
                "is_retracted": false, "open_access": { "oa_url": p.url }, "primary_location": null,
                "abstract_inverted_index": inverted(&p.text) })) }),
        SearchKind::Crossref => {
            json!({ "status": "ok", "message-type": "work-list", "message": { "total-results": pages.len(),
            "items": rows(|p| json!({ "title": [p.title], "abstract": format!("<jats:p>{}</jats:p>", p.text), "URL": p.url,
                "issued": { "date-parts": [parts(p.published.as_deref())] } })) } })
        }
        SearchKind::Wikipedia => json!({ "batchcomplete": true, "query": { "searchinfo": { "totalhits": pages.len() },
            "search": rows(|p| json!({ "ns": 0, "title": p.title, "pageid": 1,
                "snippet": format!("<span class=\"searchmatch\">{}</span>", p.text) })) } }),
        SearchKind::Perplexity => {
            json!({ "id": "r", "results": rows(|p| json!({ "title": p.title, "url": p.url, "snippet": p.text,
            "date": p.published, "last_updated": null })) })
        }
        SearchKind::Google if pages.is_empty() => json!({ "kind": "customsearch#search" }),
        SearchKind::Google => json!({ "kind": "customsearch#search",
            "items": rows(|p| json!({ "kind": "customsearch#result", "title": p.title, "link": p.url, "snippet": p.text })) }),
        SearchKind::Arxiv => Value::Null,
    };
    answer.to_string()
}

/// The words of a text, each with its places.
fn inverted(text: &str) -> Value {
    let mut index: Map<String, Value> = Map::new();
    for (at, word) in text.split_whitespace().enumerate() {
        let places = index.entry(word).or_insert_with(|| json!([]));
        if let Some(places) = places.as_array_mut() {
            places.push(at.into());
        }
    }
    index.into()
}

fn parts(day: Option<&str>) -> Vec<u64> {
    day.into_iter().flat_map(|day| day.split('-')).filter_map(|part| part.parse().ok()).collect()
}

fn feed(pages: &[Page]) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let entry = |page: &Page| {
        let published =
            page.published.as_ref().map_or_else(String::new, |day| format!("<published>{day}T00:00:00Z</published>"));
        format!(
            "<entry><id>{}</id><title>{}</title><summary>{}</summary>{published}</entry>",
            escaped(&page.url),
            escaped(&page.title),
            escaped(&page.text)
        )
    };
    let entries: String = pages.iter().map(entry).collect();
    format!("<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>q</title>{entries}</feed>")
}
