//! The vectors of one text in a job: those that were kept are used again, and those it makes are kept.

use std::sync::Arc;

use precis_evidence::meaning::{Meaning, Sense};
use precis_proto::job::JobKind;
use precis_proto::source::ContentRef;
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::runner::JobContext;

use super::{LoadedModel, TextVectors, VectorsOfText};
use crate::documents::texts;

/// Does `work` with the vectors of the text `content`, of which at most `passages` get one; without a model with none.
pub async fn with_vectors<K: JobKind, T: Send + 'static>(
    (model, passages): (Option<&Arc<LoadedModel>>, usize),
    content: &ContentRef,
    ctx: &JobContext<K>,
    work: impl FnOnce(Option<Sense<'_>>) -> T + Send + 'static,
) -> T {
    let Some(model) = model.cloned() else { return texts::compute(move || work(None)).await };
    let key = CacheKey::new(CacheFamily::Meaning, format!("{}:{content}", model.key()));
    let found = ctx.cache().entry::<TextVectors>(&key).await;
    let kept = found.value.clone().unwrap_or_default();
    let (done, more) = texts::compute(move || {
        let vectors = VectorsOfText::new(&*model, kept);
        let done = work(Some(Sense { meaning: &vectors, passages }));
        (done, vectors.if_more())
    })
    .await;
    if let Some(more) = more {
        ctx.cache().replace(&key, &found, &more).await;
    }
    done
}
