//! How a worker works.

use precis_proto::state::STATE_SCHEMA_VERSION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Queues, concurrency and times of `precis worker`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkerSettings {
    /// Queues a worker serves: `all`, `sessions`, `jobs`, or names such as `session.digest` and `jobs.extraction`.
    #[serde(rename = "worker_queues")]
    pub queues: Vec<String>,
    /// Jobs a worker holds at once, per kind.
    #[serde(rename = "worker_concurrency")]
    #[schemars(range(min = 1, max = 4_096))]
    pub concurrency: u16,
    /// Sessions a worker holds at once, per phase. A session that waits for its jobs costs memory, no thread.
    #[serde(rename = "worker_sessions")]
    #[schemars(range(min = 1, max = 65_535))]
    pub sessions: u16,
    /// Jobs a session has under way at once: what keeps a large session from starving small ones.
    #[schemars(range(min = 1, max = 1_024))]
    pub session_window: u64,
    /// Seconds a phase holds its session before it hands over: at most a third of the broker's consumer timeout.
    #[serde(rename = "session_lease")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub lease_seconds: f64,
    /// Seconds a job is waited for.
    #[serde(rename = "job_timeout")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub job_timeout_seconds: f64,
    /// Seconds a worker that was told to stop gives its jobs to end; sessions hand over at once.
    #[serde(rename = "drain_timeout")]
    #[schemars(range(min = 0.0, max = 3_600.0))]
    pub drain_seconds: f64,
    /// Names of the queues that callers may want their answer in, besides those that RabbitMQ makes; `*` at the start or the end stands
    /// for anything. A request that names another queue is refused; queues of the fleet are never answered to.
    pub reply_queues: Vec<String>,
    /// Users of the broker that may end every session, and redrive requests of others.
    pub operator_users: Vec<String>,
    /// Version of the session states this worker writes: the previous one while older workers still run.
    #[schemars(range(min = 1, max = STATE_SCHEMA_VERSION))]
    pub emit_version: u32,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            queues: vec!["all".to_owned()],
            concurrency: 16,
            sessions: 64,
            session_window: 8,
            lease_seconds: 600.0,
            job_timeout_seconds: 300.0,
            drain_seconds: 25.0,
            reply_queues: crate::broker::DEFAULT_REPLY_QUEUES.map(str::to_owned).to_vec(),
            operator_users: vec!["precis-operator".to_owned()],
            emit_version: STATE_SCHEMA_VERSION,
        }
    }
}
