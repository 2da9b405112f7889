//! What was parsed of a file, kept in the content store under its hash: after a crash, and for the next version, it is not parsed again.
//! Retention removes it; whatever is missing or damaged is parsed again.

use bytes::Bytes;
use precis_corpus::ExtractedText;
use precis_proto::ids::sha256_hex;
use precis_proto::source::ContentRef;
use precis_runtime::content::{ContentError, ContentStore};
use serde::{Deserialize, Serialize};

/// Kind of these named contents.
const KIND: &str = "parsed";

/// What was parsed of a file: its text, or why it has none. Only what would be the same the next time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ParsedFile {
    /// Its text.
    Read(ExtractedText),
    /// Why it cannot be read.
    Unread {
        /// The stable code.
        code: String,
        /// The message for users.
        message: String,
    },
}

/// The name of what was parsed of the bytes `content` in a file with this extension, by the settings `extraction`.
fn name(content: &ContentRef, ending: &str, extraction: &str) -> String {
    sha256_hex(format!("{content}\u{1f}{ending}\u{1f}{extraction}").as_bytes())
}

/// Returns what is known of a file.
///
/// # Errors
/// [`ContentError`] if the store cannot be used.
pub(super) async fn known_file(
    store: &ContentStore,
    file: (&ContentRef, &str),
    extraction: &str,
) -> Result<Option<ParsedFile>, ContentError> {
    match store.get_named(KIND, &name(file.0, file.1, extraction)).await {
        Ok(kept) => Ok(kept.and_then(|kept| serde_json::from_slice(&kept).ok())),
        Err(error) if error.is_outage() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Keeps what was parsed of a file. What is too large to be kept is parsed again.
///
/// # Errors
/// [`ContentError`] if the store cannot be used.
pub(super) async fn keep(
    store: &ContentStore,
    file: (&ContentRef, &str),
    extraction: &str,
    parsed: &ParsedFile,
) -> Result<(), ContentError> {
    let json = serde_json::to_vec(parsed).expect("strings and numbers encode");
    match store.replace_named(KIND, &name(file.0, file.1, extraction), Bytes::from(json)).await {
        Err(error) if error.is_outage() => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_parsed_is_known_for_the_same_bytes_ending_and_settings() {
        let store = ContentStore::in_memory();
        let content = ContentRef::from_bytes(b"bytes");
        let text = ExtractedText { text: "Words.".to_owned(), pages: 2, ..ExtractedText::default() };
        let parsed = ParsedFile::Read(text);
        keep(&store, (&content, "md"), "1", &parsed).await.expect("kept");
        let known = async |content: &ContentRef, ending: &str, extraction: &str| {
            known_file(&store, (content, ending), extraction).await.expect("in memory")
        };
        assert_eq!(known(&content, "md", "1").await, Some(parsed));
        assert_eq!(known(&content, "txt", "1").await, None);
        assert_eq!(known(&content, "md", "2").await, None);
        assert_eq!(known(&ContentRef::from_bytes(b"other"), "md", "1").await, None);
        store.replace_named(KIND, &name(&content, "md", "1"), Bytes::from_static(b"{")).await.expect("damaged");
        assert_eq!(known(&content, "md", "1").await, None);
    }
}
