//! Access to a fleet for workers and operators: broker, store and content store at the configured addresses.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `backoff` | how long a worker waits before it reconnects |
//! | `connect` | opens connections from the settings, with remedies for failures |
//! | `content_watch` | takes a worker off its queues while its content store is away or full |
//! | `door` | what the HTTP door is made of |
//! | `local` | a fleet of one worker in this process, on disk |
//! | `door_reports` | reports for it, with the texts of the content store |
//! | `kept_report`, `report_zip` | a report and its texts as files in a folder, and as one ZIP file |
//! | `queues` | parses `--queues` |
//! | `redrive` | prepares a dead letter to be processed again |
//! | `retention` | removes what is past its retention time |
//! | `roll_call` | tells the fleet that this worker is there |
//! | `shared_cache` | tells of another fleet on the same cache |
//! | `supervisor` | runs a worker across lost connections |
//! | `tenants` | whose tenants are whose, and how much may be stored for them |
//! | `worker_settings` | what a worker is started with |
//! | `caller` | submits requests and listens to sessions |
//! | [`asyncapi`] | the AsyncAPI document of the messages |

pub mod asyncapi;
mod backoff;
mod caller;
mod connect;
mod content_watch;
mod door;
mod door_estimates;
mod door_reports;
mod kept_report;
mod local;
mod queues;
mod redrive;
mod report_zip;
mod retention;
mod roll_call;
mod shared_cache;
mod supervisor;
mod tenants;
mod worker_settings;

pub use caller::{Caller, SessionListener, SessionMessage, SubmitError, result};
pub(crate) use connect::rabbit_settings;
pub use connect::{archive_dir, broker, content, create_content, shared_store, store, unreachable_broker};
pub(crate) use content_watch::until_usable;
pub use door::{callers, door_parts, local_door_parts};
pub use kept_report::write_report;
pub use local::{LocalFleet, content_in};
pub use queues::{QueueWordError, parse_queues};
pub use redrive::{RedriveError, RedriveMessage, open_letter, redriven, with_reason};
pub(crate) use retention::{Kept, clean};
pub use roll_call::now as shared_now;
pub use shared_cache::{shared_cache, watch_shared_cache};
pub use supervisor::{BrokerSource, SupervisedResources, supervise};
pub use tenants::{storage_of, storage_quotas, tenant_rules};
pub(crate) use worker_settings::{archive_in, runner_settings, worker_id};
