//! A fleet of real processes that is torn apart: `precis worker` on a private RabbitMQ and Redis, a scripted model server that
//! counts what it is asked, and a caller of our own.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`shared_servers`] | the servers all trials of a run share, and the network between them and the workers |
//! | [`fleet_under_test`] | what one trial has of its own: a directory, a content store, a model server, worker processes |
//! | [`caller`] | asking with confirms, collecting what comes back, dropping repeats |
//! | [`requests`] | what is asked: each session another text, always the same |
//! | [`stories`] | what research is asked, and the pages where it stands |
//! | [`research_mind`] | a model that plans, supervises and does that research |
//! | [`work`] | which of both a trial asks, and the servers it needs |
//! | [`many_sources`] | one session of many documents, whose workers are killed in every phase |
//! | [`hostile`] | requests of a caller who means harm |
//! | `mischief` | such a caller, and somebody who writes to Redis, beside a trial |
//! | [`junk`] | what no worker can do anything with |
//! | [`plan`] | which fault comes when, drawn from a seed |
//! | [`faults`] | doing it to the processes |
//! | [`trial`] | one run from the first request to the last empty queue |
//! | [`ledger`] | what a trial came to, and what must not have happened |
//! | [`wire`] | everything that passes the broker, for whoever looks for what should not |
//! | [`same_report`] | when two results are the same report |

pub mod caller;
pub mod faults;
pub mod fleet_under_test;
pub mod hostile;
pub mod junk;
pub mod ledger;
pub mod many_sources;
mod mischief;
pub mod plan;
pub mod requests;
pub mod research_mind;
pub mod same_report;
pub mod shared_servers;
pub mod stories;
pub mod trial;
pub mod wire;
pub mod work;
