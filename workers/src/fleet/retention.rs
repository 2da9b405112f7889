//! Removes what is past its retention time, for as long as a worker runs.

use std::time::Duration;

use precis_proto::Timestamp;
use precis_runtime::archive::Archive;
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::retention::remove_old;

/// How often texts past their retention time are removed.
const CLEAN: Duration = Duration::from_secs(3_600);

/// How long things are kept, in hours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    texts: u32,
    sessions: u32,
}

impl Kept {
    pub(crate) fn of(settings: &Settings) -> Self {
        let hours = |hours: u64| u32::try_from(hours).unwrap_or(u32::MAX);
        let texts = settings.archive.ttl_hours;
        Self { texts: hours(texts), sessions: hours(settings.archive.session_ttl_hours.unwrap_or(texts)) }
    }
}

/// Removes what is past its retention time, now and every hour, by the clock of the content store.
pub(crate) async fn clean(content: ContentStore, archive: Option<Archive>, kept: Kept) {
    loop {
        // By the clock that dates the objects: that of this machine may be days off, and what is removed is gone.
        match content.time().await {
            Ok(now) => clean_once(&content, archive.as_ref(), kept, now).await,
            Err(error) => log_cleaned("content", Err(error.to_string())),
        }
        tokio::time::sleep(CLEAN).await;
    }
}

/// Removes old texts from the content store and the archive, and old sessions. Failures are only logged: no session depends on it.
async fn clean_once(content: &ContentStore, archive: Option<&Archive>, kept: Kept, now: Timestamp) {
    let removed = remove_old(content, kept.texts, kept.sessions).await;
    log_cleaned("content", removed.map_err(|e| e.to_string()));
    if let Some(archive) = archive {
        let removed = archive.remove_older_than(kept.texts.into(), now).await;
        log_cleaned("archived texts", removed.map(|n| n as u64).map_err(|e| e.to_string()));
    }
}

fn log_cleaned(kind: &str, removed: Result<u64, String>) {
    match removed {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "removed {kind} past the retention time"),
        Err(error) => tracing::warn!(error, "failed to remove {kind} past the retention time"),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::{ContentRef, Source, SourceText};
    use precis_runtime::clock::Clock;
    use serde_json::json;

    use super::*;

    #[test]
    fn sessions_are_kept_as_long_as_texts_unless_set_otherwise() {
        let mut settings = Settings::default();
        let kept = |settings: &Settings| (Kept::of(settings).texts, Kept::of(settings).sessions);
        assert_eq!(kept(&settings), (720, 720));
        settings.archive.session_ttl_hours = Some(24);
        assert_eq!(kept(&settings), (720, 24));
    }

    #[tokio::test]
    async fn a_text_leaves_the_archive_exactly_when_it_expires() {
        let dir = tempfile::tempdir().expect("a directory");
        let archive = Archive::open(dir.path().to_owned()).expect("opens");
        let name = ContentRef::from_bytes(b"text");
        let source = json!({ "source_id": "a", "title": "A", "origin": { "content": name } });
        let source: Source = serde_json::from_value(source).expect("a source");
        let text = SourceText { content: name.clone(), chars: 4, tokens: 1, pages: 0, blocks: None };
        let now = Clock::system().now();
        archive.put(&source, &text, b"text", Vec::new(), now).await.expect("kept");
        let later = now.plus_ms(2 * 3_600_000);
        for (hours, is_there) in [(3, true), (1, false)] {
            clean_once(&ContentStore::in_memory(), Some(&archive), Kept { texts: hours, sessions: hours }, later).await;
            let found = archive.get(&source.source_id, name.hex()).await.expect("readable");
            assert_eq!(found.is_some(), is_there, "{hours} hours");
        }
    }
}
