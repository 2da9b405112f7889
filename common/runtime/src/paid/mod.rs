//! Requests that are paid for, whatever they ask: how none is sent twice, unpaid, or beyond what may be spent.
//!
//! Model calls and searches are kinds of paid requests ([`PaidRequests`]). A request passes these steps, each inside the one before:
//!
//! 1. `dispatch` runs it in a task of the process rather than of the caller: once it is sent, its answer is stored even if the caller is
//!    gone. It holds the single-flight lease of its key (`flight`), or takes the answer of whoever does.
//! 2. `permit` waits for a permit of the provider,
//! 3. `reservation` reserves what it may use under the rate limits (`allowance`) and ceilings (`billing`),
//! 4. its kind admits it (breakers) and sends it,
//! 5. `permit` settles the reservations, tells the breakers and stores the answer (`memo`), all at once.
//!
//! `unanswered` lists what a lease has sent and has no answer to. Retries, failover and payloads are those of the kinds.

pub(crate) mod allowance;
pub(crate) mod billing;
mod dispatch;
mod flight;
pub(crate) mod memo;
mod permit;
mod requests;
mod reservation;
mod unanswered;

pub use billing::{BillingContext, TenantPolicies, TenantPolicy};
pub(crate) use dispatch::dispatch;
pub(crate) use requests::{AnswerSender, FlightPace, NotPaid, PaidDesk, PaidRequests, PaidTerms};
pub use unanswered::Unanswered;
