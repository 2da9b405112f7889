//! The HTTP door of a fleet on private servers, beside what callers would use instead.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`http`] | a client that keeps its connection |
//! | [`process`] | memory and processor time of a process |
//! | [`servers`] | the program as door and worker, on private servers |
//! | [`sessions`] | sessions submitted and waited for |
//! | [`publishing`] | the same requests over AMQP |
//! | [`load`] | many callers at once, or at a rate |
//! | [`nginx`] | a static file |
//! | [`collector`] | a collector of spans |
//! | [`accepting`] | requests accepted, beside the same published over AMQP |
//! | [`results`] | results read, beside a static file of the same size from nginx |
//! | [`following`] | streams of events: memory, and the time from event to reader |
//! | [`records`] | what the records of sessions cost |
//! | [`tracing`] | processor time with spans and without |

pub mod accepting;
pub mod collector;
pub mod following;
pub mod http;
pub mod load;
pub mod nginx;
pub mod process;
pub mod publishing;
pub mod records;
pub mod results;
pub mod servers;
pub mod sessions;
pub mod tracing;
