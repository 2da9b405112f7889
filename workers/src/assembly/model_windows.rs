//! Windows of models that are neither configured nor built in: asks their servers, and caches the answers for a while.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use precis_proto::ids::sha256_hex;
use precis_proto::task::Role;
use precis_runtime::config::Settings;
use precis_runtime::model::{Endpoint, ProviderConfig, ToldWindow, told_window};
use precis_runtime::store::Store;

use crate::assembly::pipeline;
use crate::options::limits;

/// How long an answer is cached: a server may be restarted with a different window.
const KEPT: Duration = Duration::from_secs(3_600);

/// Returns `settings` completed with the windows that servers report for undescribed models in its chains.
pub async fn with_windows(settings: &Settings, store: &Store) -> Settings {
    let mut links: Vec<String> = Role::OF_TASKS.into_iter().flat_map(|role| settings.chain(role)).collect();
    links.sort_unstable();
    links.dedup();
    described_for(settings, &links, store).await
}

/// [`with_windows`] for the given models, as `NAME:MODEL`.
pub async fn described_for(settings: &Settings, links: &[String], store: &Store) -> Settings {
    let limits = limits(settings);
    let unknown = links.iter().filter(|link| limits.of(link).1);
    let asked = unknown.filter_map(|link| {
        let (name, model) = link.split_once(':')?;
        // Skipped here: setting up the models reports a provider that cannot be set up.
        let provider = pipeline::provider(settings, name, None).ok().flatten()?;
        Some(async move { (link, window_of(&provider, model, store).await) })
    });
    let mut described = settings.clone();
    for (link, told) in join_all(asked).await {
        let Some(ToldWindow { window, longest_answer }) = told else { continue };
        tracing::info!(model = link, window, "the server reported the window");
        let entry = described.models.model_context_overrides.entry(link.clone()).or_default();
        entry.context_window = Some(window);
        entry.max_output_tokens = entry.max_output_tokens.or(longest_answer);
    }
    described
}

/// Returns the cached window of `model`, else asks its server.
async fn window_of(provider: &ProviderConfig, model: &str, store: &Store) -> Option<ToldWindow> {
    let Endpoint::Server(server) = &provider.endpoint else { return None };
    let key = format!("window:{}", sha256_hex(format!("{}\0{model}", server.base_url).as_bytes()));
    if let Ok(Some(kept)) = store.values().get(&key).await
        && let Some(told) = read(&kept)
    {
        return told;
    }
    let told = told_window(provider, model).await;
    // Cache a missing answer too. Errors are ignored: without the store the server is asked again.
    let _ = store.values().put_if_absent(&key, encode_window(told), KEPT).await;
    told
}

/// Cached value for a server that reports no window.
const SILENT: &str = "none";

fn encode_window(told: Option<ToldWindow>) -> Bytes {
    Bytes::from(
        told.map_or_else(|| SILENT.to_owned(), |told| format!("{} {}", told.window, told.longest_answer.unwrap_or(0))),
    )
}

/// Parses a cached value: a window, or that the server reports none; `None` if it is neither.
fn read(kept: &[u8]) -> Option<Option<ToldWindow>> {
    let text = std::str::from_utf8(kept).ok()?;
    if text == SILENT {
        return Some(None);
    }
    let (window, answer) = text.split_once(' ')?;
    let longest_answer = answer.parse().ok().filter(|tokens| *tokens > 0);
    Some(Some(ToldWindow { window: window.parse().ok()?, longest_answer }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        for told in [
            None,
            Some(ToldWindow { window: 8_192, longest_answer: None }),
            Some(ToldWindow { window: 128_000, longest_answer: Some(16_000) }),
        ] {
            assert_eq!(read(&encode_window(told)), Some(told));
        }
        assert_eq!(read(b"garbage"), None);
    }
}
