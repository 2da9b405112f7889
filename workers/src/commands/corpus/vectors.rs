//! The vectors of an index: which model makes them, and their making beside a run that can be cancelled.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use precis_corpus::{CorpusError, Update};
use precis_runtime::config::Settings;
use tokio_util::sync::CancellationToken;

use crate::cli::exit::{CommandFailure, Exit};
use crate::meaning::{ModelOfMeaning, WorkingModel};

/// Interval of progress.
const TICK: Duration = Duration::from_millis(100);

/// The model that makes vectors, if they are `wanted`.
///
/// # Errors
/// [`Exit::Refused`] if none is configured, or it cannot be used.
pub(in crate::commands) fn vector_model(
    settings: &Settings,
    wanted: bool,
) -> Result<Option<ModelOfMeaning>, CommandFailure> {
    if !wanted {
        return Ok(None);
    }
    let refused = |why: String| {
        CommandFailure::new(Exit::Refused, "no_meaning_model", why)
            .with_remedy("add one with `precis model add PATH`, and name it in meaning.model")
    };
    match ModelOfMeaning::from_settings(settings) {
        Ok(Some(model)) => Ok(Some(model)),
        Ok(None) => Err(refused(
            "--meaning needs a model of meaning, and neither meaning.model nor roles.embedding names one".to_owned(),
        )),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Makes the vectors that `update` lacks, on all processors. What was made by a cancellation is kept for the next run.
pub(super) async fn make_vectors(
    mut update: Update,
    model: WorkingModel,
    cancel: &CancellationToken,
    progress: &mut impl FnMut(u64, u64),
) -> Result<Update, CorpusError> {
    let counts = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let (seen, cancelled) = (Arc::clone(&counts), cancel.clone());
    let mut work = tokio::task::spawn_blocking(move || {
        let made = update.make_vectors(&model, threads(), |done, total| {
            seen.0.store(done, Ordering::Relaxed);
            seen.1.store(total, Ordering::Relaxed);
            if cancelled.is_cancelled() || model.failure().is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        made.map(|()| update)
    });
    loop {
        tokio::select! {
            made = &mut work => {
                return made.unwrap_or_else(|e| Err(CorpusError::Unusable(format!("make its vectors: {e}"))));
            }
            () = tokio::time::sleep(TICK) => {
                progress(counts.0.load(Ordering::Relaxed), counts.1.load(Ordering::Relaxed));
            }
        }
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
