//! Brave's web search: a GET. Descriptions contain highlight tags; if nothing was found, the result list is missing.

use serde_json::Value;

use super::failure::ProviderFailure;
use super::provider_request::{ProviderQuery, ProviderRequest, RequestConfig, below, with, with_site};
use super::result_page::{RawHit, ResultPage, bad, list, some_text, text};

/// Languages that Brave accepts, by ISO 639-1; any other makes the whole request invalid.
const LANGUAGES: [(&str, &str); 51] = [
    ("ar", "ar"),
    ("eu", "eu"),
    ("bn", "bn"),
    ("bg", "bg"),
    ("ca", "ca"),
    ("zh", "zh-hans"),
    ("hr", "hr"),
    ("cs", "cs"),
    ("da", "da"),
    ("nl", "nl"),
    ("en", "en"),
    ("et", "et"),
    ("fi", "fi"),
    ("fr", "fr"),
    ("gl", "gl"),
    ("de", "de"),
    ("el", "el"),
    ("gu", "gu"),
    ("he", "he"),
    ("hi", "hi"),
    ("hu", "hu"),
    ("is", "is"),
    ("it", "it"),
    ("ja", "jp"),
    ("kn", "kn"),
    ("ko", "ko"),
    ("lv", "lv"),
    ("lt", "lt"),
    ("ms", "ms"),
    ("ml", "ml"),
    ("mr", "mr"),
    ("nb", "nb"),
    ("no", "nb"),
    ("pl", "pl"),
    ("pt", "pt-pt"),
    ("pa", "pa"),
    ("ro", "ro"),
    ("ru", "ru"),
    ("sr", "sr"),
    ("sk", "sk"),
    ("sl", "sl"),
    ("es", "es"),
    ("sv", "sv"),
    ("ta", "ta"),
    ("te", "te"),
    ("th", "th"),
    ("tr", "tr"),
    ("uk", "uk"),
    ("vi", "vi"),
    ("iw", "he"),
    ("nn", "nb"),
];

pub(super) fn request(asked: &ProviderQuery<'_>, own: &RequestConfig<'_>) -> ProviderRequest {
    let mut parameters = vec![
        ("q", with_site(asked)),
        ("count", asked.results.to_string()),
        ("result_filter", "web".to_owned()),
        ("text_decorations", "false".to_owned()),
    ];
    if let Some(since) = asked.since {
        parameters.push(("freshness", format!("{since}to{}", asked.today)));
    }
    let known = LANGUAGES.iter().find(|(code, _)| Some(*code) == asked.language);
    parameters.extend(known.map(|(_, theirs)| ("search_lang", (*theirs).to_owned())));
    ProviderRequest { url: with(below(own.base, &["web", "search"]), &parameters), body: None }
}

pub(super) fn answer(body: &Value) -> Result<ResultPage, ProviderFailure> {
    if body["type"] != "search" {
        return Err(bad("`type` is not `search`"));
    }
    if body["web"].is_null() {
        return Ok(ResultPage::default());
    }
    Ok(ResultPage::from_hits(list(body, "/web/results")?.iter().map(hit).collect::<Result<_, _>>()?))
}

fn hit(entry: &Value) -> Result<RawHit, ProviderFailure> {
    let mut snippet = text(entry, "description")?;
    for more in entry["extra_snippets"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        snippet.push(' ');
        snippet.push_str(more);
    }
    // Not `age`, which is a phrase such as `2 days ago`.
    let published = some_text(entry, "page_age")?;
    Ok(RawHit { url: text(entry, "url")?, title: text(entry, "title")?, snippet, published, text: None })
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture::{provider_query, read, request_parts};
    use super::super::kind::SearchKind;
    use super::*;

    #[test]
    fn a_search_has_its_conditions_in_the_address() {
        let head = "https://api.search.brave.com/res/v1/web/search?q=dams+%26+weirs&count=2&result_filter=web&text_decorations=false";
        assert_eq!(request_parts(SearchKind::Brave, &provider_query("dams & weirs")), (head.to_owned(), None));
        let since = Some(jiff::civil::date(2024, 2, 29));
        for (language, end) in
            [("ja", "&search_lang=jp"), ("zh", "&search_lang=zh-hans"), ("de", "&search_lang=de"), ("xx", "")]
        {
            let asked = ProviderQuery { since, language: Some(language), ..provider_query("dams & weirs") };
            assert_eq!(
                request_parts(SearchKind::Brave, &asked).0,
                format!("{head}&freshness=2024-02-29to2026-07-01{end}")
            );
        }
    }

    #[test]
    fn an_answer_as_recorded_is_read() {
        let page = read(
            SearchKind::Brave,
            r#"{"query":{"original":"dams","more_results_available":true},"mixed":{"type":"mixed","main":[]},"type":"search",
              "web":{"type":"search","results":[{"title":"Dams","url":"https://example.org/dams","is_source_local":false,
                "description":"A <strong>dam</strong> holds water.","page_age":"2024-05-01T12:00:00","age":"May 1, 2024",
                "extra_snippets":["It is built of earth."],"language":"en"}],"family_friendly":true}}"#,
        )
        .expect("an answer");
        let hit = &page.hits[0];
        assert_eq!(hit.snippet, "A <strong>dam</strong> holds water. It is built of earth.");
        assert_eq!(hit.published.as_deref(), Some("2024-05-01T12:00:00"));
        let nothing = read(SearchKind::Brave, r#"{"query":{"original":"x"},"type":"search"}"#);
        assert_eq!(nothing.expect("nothing found").hits, []);
    }
}
