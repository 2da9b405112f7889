//! The in-process broker: queues with the guarantees of RabbitMQ's quorum queues. They survive the process if they are opened in a
//! folder.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `server`, `shared` | the broker's handle; the one lock, and the journal behind it |
//! | `state` | exchanges, queues and connections, and every change of them |
//! | `declare` | declares what is missing, refuses what differs |
//! | `queue` | the messages of one queue: order, holds, delivery counts, next consumer |
//! | `change`, `replay`, `disk` | changes as a journal holds them; the state that follows from them; what is live |
//! | `routing` | matches routing keys against binding keys |
//! | `expiry` | the timer of a queue with a message TTL |
//! | `connection`, `tag` | the handles of a worker: connection, consumer, replies, subscription; the tag of a delivery |

mod change;
mod connection;
mod declare;
mod disk;
mod expiry;
mod queue;
mod replay;
mod routing;
mod server;
mod shared;
mod state;
mod tag;

pub use connection::{MemoryConnection, MemoryConsumer, MemoryReplies, MemorySubscription};
pub use server::MemoryBroker;
pub(super) use tag::MemoryTag;
