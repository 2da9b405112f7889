//! The vectors of one text in a job: those that were kept are used again, and those it makes are kept.

use precis_evidence::meaning::{Meaning, Sense};
use precis_proto::job::JobKind;
use precis_proto::meaning::read_meaning_key;
use precis_proto::source::ContentRef;
use precis_proto::warning::{Warning, WarningCode};
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::model::{Code, Failure};
use precis_runtime::runner::JobContext;

use super::{MeaningUse, ModelOfMeaning, Payer, TextVectors, VectorsOfText};
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
    /// Whether a server failed to give vectors: another time it may give them, so the result is not kept for others.
    pub has_failed: bool,
}

impl<T> Sensed<T> {
    /// A result that words alone decided on.
    pub fn by_words(done: T) -> Self {
        Self { done, has_compared: false, has_failed: false }
    }
}

/// Does `work` with the vectors of the text `content`, of which at most `passages` get one; without a model with none. Where words alone
/// decided on something in spite of a model, the session is warned.
pub async fn with_vectors<K: JobKind, T: Send + 'static>(
    (model, passages): (Option<&ModelOfMeaning>, usize),
    content: &ContentRef,
    ctx: &JobContext<K>,
    work: impl FnOnce(Option<Sense<'_>>) -> T + Send + 'static,
) -> Sensed<T> {
    let Some(model) = model.cloned() else {
        return Sensed::by_words(texts::compute(move || work(None)).await);
    };
    if passages == 0 {
        warn(MeaningUse { is_limited: true, ..MeaningUse::default() }, ctx);
        return Sensed::by_words(texts::compute(move || work(None)).await);
    }
    let key = vectors_key(model.key(), content);
    let found = ctx.cache().entry::<TextVectors>(&key).await;
    let kept = found.value.clone().unwrap_or_default();
    let working = model.begin(|| Payer::Session(ctx.embedder()));
    let asked = working.clone();
    let (done, used, more) = texts::compute(move || {
        let vectors = VectorsOfText::new(&asked, kept);
        let done = work(Some(Sense { meaning: &vectors, passages }));
        (done, vectors.made_use(), vectors.if_more())
    })
    .await;
    if let Some(more) = more {
        ctx.cache().replace(&key, &found, &more).await;
    }
    let failure = working.failure();
    match &failure {
        Some(failure) => warn_of_failure(working.key(), failure, ctx),
        None => warn(used, ctx),
    }
    let has_compared = used.has_compared && (failure.is_none() || used.has_passage);
    Sensed { done, has_compared, has_failed: failure.is_some() }
}

/// A failure of a server for people: its code, what it said, and what to do.
#[must_use]
pub fn describe(failure: &Failure) -> String {
    match (failure.code.as_str(), failure.words()) {
        (code, "") => code.to_owned(),
        (code, words) => format!("{code}: {words}"),
    }
}

/// Warns that the server whose model has this `key` gave no vectors; not of a stop, after which whoever goes on asks again.
pub fn warn_of_failure<K: JobKind>(key: &str, failure: &Failure, ctx: &JobContext<K>) {
    if failure.code == Code::Stopped {
        return;
    }
    let (_, server) = read_meaning_key(key);
    let (model, why) = (server.map_or_else(String::new, |server| server.model), describe(failure));
    let message = format!("`roles.embedding` ({model}) gave no vectors, so words alone decided ({why})");
    ctx.warn(Warning::new(WarningCode::MeaningLimited, ctx.phase(), message));
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
