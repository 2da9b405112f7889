//! The settings of a worker.

use precis_proto::state::STATE_SCHEMA_VERSION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Queues, concurrency and time limits of `precis worker`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkerSettings {
    /// Queues a worker serves: `all`, `sessions`, `jobs`, or names such as `session.digest` and `jobs.extraction`.
    #[serde(rename = "worker_queues")]
    pub queues: Vec<String>,
    /// Most concurrent jobs of a worker, per kind.
    #[serde(rename = "worker_concurrency")]
    #[schemars(range(min = 1, max = 4_096))]
    pub concurrency: u16,
    /// Most concurrent sessions of a worker, per phase. A session that waits for its jobs uses memory but no thread.
    #[serde(rename = "worker_sessions")]
    #[schemars(range(min = 1, max = 65_535))]
    pub sessions: u16,
    /// Most concurrent jobs of one session, so that a large session does not starve small ones.
    #[schemars(range(min = 1, max = 1_024))]
    pub session_window: u64,
    /// Seconds a phase holds its session before it hands over. Set it to at most a third of the broker's consumer timeout.
    #[serde(rename = "session_lease")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub lease_seconds: f64,
    /// Seconds until a job that has not answered counts as failed.
    #[serde(rename = "job_timeout")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub job_timeout_seconds: f64,
    /// Seconds a stopping worker lets its jobs finish; sessions hand over at once.
    #[serde(rename = "drain_timeout")]
    #[schemars(range(min = 0.0, max = 3_600.0))]
    pub drain_seconds: f64,
    /// Names of reply queues that callers may name, besides those RabbitMQ generates; `*` at the start or the end matches anything. A
    /// request that names another queue is refused, and so is a request with a `user_id` whose queue's name does not have that user
    /// between its dots (`reply.alice.results`), unless it is the fleet's or an operator's; answers never go to queues of the fleet.
    pub reply_queues: Vec<String>,
    /// Takes requests only of users that RabbitMQ has verified (`user_id`). All others are refused, and so is every named reply queue in
    /// a message without a user. Set it where callers do not trust each other.
    #[serde(rename = "require_verified_user")]
    pub requires_user: bool,
    /// Broker users that may end any session and redrive the requests of others.
    pub operator_users: Vec<String>,
    /// Version of the session states this worker writes. Set the previous version while older workers still run.
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
            requires_user: false,
            operator_users: vec!["precis-operator".to_owned()],
            emit_version: STATE_SCHEMA_VERSION,
        }
    }
}
