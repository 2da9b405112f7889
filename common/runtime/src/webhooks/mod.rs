//! Tells others over HTTP, after Standard Webhooks (<https://www.standardwebhooks.com>): whom, what, how it is signed, when it is tried again.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `secret` | the secrets that sign, and the signature |
//! | `endpoints` | whom an event goes to: endpoints by name, and addresses that requests may name |
//! | `event_id` | the id that is the same for every attempt |
//! | `verdict` | what an answer, or none, means |
//! | `schedule` | when the next attempt is, and when there is none |
//! | `record` | the state of a delivery, as kept in the content store |
//! | `turns` | how many deliveries to one host are under way at once |
//! | `sender` | one attempt |

mod endpoints;
mod event_id;
mod record;
mod schedule;
mod secret;
mod sender;
mod turns;
mod verdict;

pub use endpoints::{Endpoint, EndpointFault, Endpoints, Receiver, WebhookRefusal};
pub use event_id::event_id;
pub use record::{
    DeliveryAttempt, DeliveryRecord, DeliveryState, WEBHOOKS, keep_delivery, list_deliveries, read_delivery,
};
pub use schedule::{GIVEN_UP_AFTER, MAX_ATTEMPTS, next_attempt};
pub use secret::{SecretFault, SigningSecret};
pub use sender::{ANSWER_BYTES, Webhooks, limits};
pub use turns::{AT_ONCE, HostTurn};
pub use verdict::Verdict;
