//! The vectors of one text in a job: those that were kept are used again, and those it makes are kept.

use std::sync::Arc;

use precis_evidence::meaning::{Meaning, Sense};
use precis_proto::job::JobKind;
use precis_proto::source::ContentRef;
use precis_proto::warning::{Warning, WarningCode};
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::runner::JobContext;

use super::{LoadedModel, MeaningUse, TextVectors, VectorsOfText};
use crate::documents::texts;

/// Where the vectors that the model with this hash made of the text `content` are kept.
#[must_use]
pub fn vectors_key(model: &str, content: &ContentRef) -> CacheKey {
    CacheKey::new(CacheFamily::Meaning, format!("{model}:{content}"))
}

/// What was done with the vectors of a text.
#[derive(Debug, Clone, Copy)]
pub struct Sensed<T> {
    /// The result.
    pub done: T,
    /// Whether the question was compared by meaning.
    pub has_compared: bool,
}

/// Does `work` with the vectors of the text `content`, of which at most `passages` get one; without a model with none. Where words alone
/// decided on something in spite of a model, the session is warned.
pub async fn with_vectors<K: JobKind, T: Send + 'static>(
    (model, passages): (Option<&Arc<LoadedModel>>, usize),
    content: &ContentRef,
    ctx: &JobContext<K>,
    work: impl FnOnce(Option<Sense<'_>>) -> T + Send + 'static,
) -> Sensed<T> {
    let Some(model) = model.cloned() else {
        return Sensed { done: texts::compute(move || work(None)).await, has_compared: false };
    };
    if passages == 0 {
        warn(MeaningUse { is_limited: true, ..MeaningUse::default() }, ctx);
        return Sensed { done: texts::compute(move || work(None)).await, has_compared: false };
    }
    let key = vectors_key(model.key(), content);
    let found = ctx.cache().entry::<TextVectors>(&key).await;
    let kept = found.value.clone().unwrap_or_default();
    let (done, used, more) = texts::compute(move || {
        let vectors = VectorsOfText::new(&*model, kept);
        let done = work(Some(Sense { meaning: &vectors, passages }));
        (done, vectors.made_use(), vectors.if_more())
    })
    .await;
    if let Some(more) = more {
        ctx.cache().replace(&key, &found, &more).await;
    }
    warn(used, ctx);
    Sensed { done, has_compared: used.has_compared }
}

fn warn<K: JobKind>(used: MeaningUse, ctx: &JobContext<K>) {
    let messages = [
        (used.is_mute, "the model of meaning gave the question no vector; words alone decided"),
        (
            used.is_limited,
            "words alone decided on some passages, because only `meaning.passages` of a session get a vector",
        ),
    ];
    for (_, message) in messages.into_iter().filter(|(is_so, _)| *is_so) {
        ctx.warn(Warning::new(WarningCode::MeaningLimited, ctx.phase(), message));
    }
}
