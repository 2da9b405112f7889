//! Named points at which a test may delay, lose, repeat or crash. Outside tests every point is a no-op.
//!
//! | point | where |
//! | --- | --- |
//! | `publish.before`, `publish.confirm` | before the broker has the message; after it has it, before the publisher knows |
//! | `reply.send` | a direct answer on its way: may be dropped or repeated |
//! | `store.before`, `store.after` | around each store operation |
//! | `state.kept` | after a state's pages are kept, before its message is published |
//! | `ack.before` | before a delivery is settled |
//! | `session.*`, `job.*` | between the runner's steps |

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a test wants to happen at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Go on.
    None,
    /// Go on later.
    Delay(Duration),
    /// The process dies here: whoever set the fault has seen to it; the task never goes on.
    Crash,
    /// The message is lost; where nothing can be lost, as `None`.
    Drop,
    /// The message arrives twice; where nothing can be repeated, as `None`.
    Repeat,
}

type FaultPlan = dyn Fn(&'static str) -> Fault + Send + Sync;

/// The points of one worker.
#[derive(Clone, Default)]
pub struct Failpoints(Option<Arc<FaultPlan>>);

impl Failpoints {
    /// Points that do nothing.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Points that ask `plan`, which is called with the name of each point as it is reached.
    #[must_use]
    pub fn planned(plan: impl Fn(&'static str) -> Fault + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(plan)))
    }

    /// Reaches a point. Returns `Drop` or `Repeat` for the caller to act on, otherwise `None` once it may go on.
    pub async fn hit(&self, point: &'static str) -> Fault {
        let Some(plan) = &self.0 else { return Fault::None };
        match plan(point) {
            Fault::Delay(time) => {
                tokio::time::sleep(time).await;
                Fault::None
            }
            Fault::Crash => std::future::pending().await,
            other => other,
        }
    }
}

impl fmt::Debug for Failpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Failpoints(planned)" } else { "Failpoints(none)" })
    }
}
