//! The broker in this process: queues with the guarantees of RabbitMQ's quorum queues, except outliving the process.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `server`, `shared` | the broker's handle; the one lock |
//! | `state` | exchanges, queues and connections, and every change of them |
//! | `declare` | making what is missing, refusing what differs |
//! | `queue` | the messages of one queue: order, holds, delivery counts, who is next |
//! | `routing` | which binding key takes which routing key |
//! | `expiry` | the timer of a queue whose messages expire |
//! | `connection`, `tag` | what a worker holds: connection, consumer, replies, subscription; the tag of a delivery |

mod connection;
mod declare;
mod expiry;
mod queue;
mod routing;
mod server;
mod shared;
mod state;
mod tag;

pub use connection::{MemoryConnection, MemoryConsumer, MemoryReplies, MemorySubscription};
pub use server::MemoryBroker;
pub(super) use tag::MemoryTag;
