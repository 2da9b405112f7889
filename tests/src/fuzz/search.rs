//! Answers of search providers, as a target: whatever a provider sends, there are pages of the web within their limits, or a failure
//! that tells neither key nor query.

use std::cell::OnceCell;

use precis_runtime::fetch::MAX_URL_BYTES;
use precis_runtime::search::{AnswerReader, MAX_RESULTS, PublicQuery, SearchCall, SearchKind, SearchProviderConfig};

use crate::search::{Page, answer_of};

const KEY: &str = "tvly-hidden-key-0123456789";
const QUERY: &str = "glacierword";
/// Statuses that each answer is read with.
const STATUSES: [u16; 4] = [200, 400, 429, 503];
/// Most characters that a failure says.
const MOST_SAID: usize = 2_000;
/// Limits of a title, a snippet and a text, in characters, as the answers promise them.
const MOST_CHARS: [usize; 3] = [MAX_URL_BYTES, 1_000, 20_000];

thread_local! {
    /// A client takes longer to make than an answer takes to read.
    static READERS: OnceCell<Vec<AnswerReader>> = const { OnceCell::new() };
}

fn readers() -> Vec<AnswerReader> {
    let call = SearchCall::new(PublicQuery::of_user(QUERY), Vec::new());
    let reader = |kind: SearchKind| {
        let config = SearchProviderConfig {
            api_key: Some(KEY.to_owned().into()),
            contact: Some("me@example.org".to_owned()),
            cx: Some("0123:abc".to_owned()),
            ..SearchProviderConfig::new(kind.as_str(), kind, "http://localhost:8888/base")
        };
        AnswerReader::new(&config, &call).expect("is well configured")
    };
    SearchKind::ALL.into_iter().map(reader).collect()
}

/// An answer is read by every provider's reader.
pub(super) fn answer(bytes: &[u8]) {
    READERS.with(|cell| {
        for reader in cell.get_or_init(readers) {
            for status in STATUSES {
                one(reader, status, bytes);
            }
        }
    });
}

fn one(reader: &AnswerReader, status: u16, bytes: &[u8]) {
    match reader.read(status, bytes) {
        Ok((hits, _)) => {
            assert!(status == 200 && hits.len() <= MAX_RESULTS, "{} hits of {status}", hits.len());
            for (at, hit) in hits.iter().enumerate() {
                assert!(hit.url.len() <= MAX_URL_BYTES && !hit.identity.is_empty(), "{}", hit.url);
                let (scheme, rest) = hit.url.split_once(':').expect("an address");
                assert!(["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()), "{}", hit.url);
                let host = rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next();
                assert!(host.is_some_and(|host| !host.is_empty() && !host.contains('@')), "{}", hit.url);
                assert_eq!(hit.rank as usize, at + 1);
                for (text, most) in
                    [&hit.title, &hit.snippet, hit.text.as_ref().unwrap_or(&String::new())].into_iter().zip(MOST_CHARS)
                {
                    assert!(text.chars().count() <= most, "{} characters", text.chars().count());
                    assert!(!text.contains(char::is_control), "{text:?}");
                }
            }
        }
        Err(failure) => {
            let said = failure.to_string();
            assert!(said.chars().count() <= MOST_SAID, "{} characters", said.chars().count());
            // As a word: what a provider has put together with other letters is no word that was sent.
            let has_query = said.split(|c: char| !c.is_alphanumeric()).any(|word| word == QUERY);
            assert!(!said.contains(KEY) && !has_query, "{said}");
        }
    }
}

/// An answer of each provider, and refusals as they send them.
pub(super) fn answers() -> Vec<Vec<u8>> {
    let pages = [
        Page {
            published: Some("2024-02-29".to_owned()),
            ..Page::new("https://ice.example/a", "Ice", "It melts & goes.")
        },
        Page::new("https://user:word@snow.example/b?q=1#x", "<b>Snow</b>", "<script>x</script> It stays."),
    ];
    let refusals = [
        format!(r#"{{"error":{{"message":"bad key {KEY} for {QUERY}","code":401}}}}"#),
        r#"{"detail":[{"msg":"quota exceeded","type":"x"}]}"#.to_owned(),
        "<html><title>blocked</title></html>".to_owned(),
        format!("no such plan, {KEY}"),
    ];
    let answers = SearchKind::ALL.into_iter().map(|kind| answer_of(kind, QUERY, &pages));
    answers.chain(refusals).map(String::into_bytes).collect()
}
