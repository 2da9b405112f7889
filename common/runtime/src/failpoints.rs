//! Named points at which a test may inject a delay, a loss, a repeat or a crash. Outside tests every point is a no-op.
//!
//! | point | where |
//! | --- | --- |
//! | `publish.before`, `publish.confirm` | before the broker has the message; after it has it, before the publisher's confirm |
//! | `reply.send` | before a direct reply is sent: may be dropped or repeated |
//! | `store.before`, `store.after` | around each store operation |
//! | `state.kept` | after a state's pages are kept, before its message is published |
//! | `ack.before` | before a delivery is settled |
//! | `session.*`, `job.*`, `webhook.*` | between the runner's steps |

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The fault to inject at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Continue.
    None,
    /// Continue after this time.
    Delay(Duration),
    /// Crash here: the task never continues. The test that set the fault ends the process.
    Crash,
    /// Lose the message; as `None` if the point cannot lose anything.
    Drop,
    /// Deliver the message twice; as `None` if the point cannot repeat anything.
    Repeat,
}

type FaultPlan = dyn Fn(&'static str) -> Fault + Send + Sync;

/// The failpoints of one worker.
#[derive(Clone, Default)]
pub struct Failpoints(Option<Arc<FaultPlan>>);

impl Failpoints {
    /// Returns failpoints that do nothing.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Returns failpoints that call `plan` with the name of each point that is reached.
    #[must_use]
    pub fn from_plan(plan: impl Fn(&'static str) -> Fault + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(plan)))
    }

    /// Reaches a point. Returns `Drop` or `Repeat` for the caller to act on; otherwise `None`, once the caller may continue.
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
