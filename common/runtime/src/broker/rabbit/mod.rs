//! The broker on RabbitMQ: quorum queues, confirms in windows, direct reply-to. Built for what 3.10 and 4.x have in common.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `settings` | where the broker is, how to prove who we are, how long to wait |
//! | `connection` | the two connections of a worker, which live and end together |
//! | `publisher` | lanes: channels that carry one window of publishes at a time |
//! | `consumer` | deliveries of a queue, the tag of a delivery, single gets |
//! | `answering` | the connection on which callers are answered at addresses of their own |
//! | `replies` | the lanes whose messages can be answered directly |
//! | `subscription` | an exchange heard through a queue of our own |
//! | `declare` | making, checking and measuring what a topology names |
//! | `properties` | envelope to AMQP properties and back |
//! | `fault` | the client library's errors as ours |
//!
//! Nothing here recovers: what ends, ends as a whole, and whoever supervises the worker opens a new connection. The client library
//! prints messages that came back, bodies included, under its own log target `lapin`: keep that target off.

mod answering;
mod connection;
mod consumer;
mod declare;
mod fault;
mod properties;
mod publisher;
mod replies;
mod settings;
mod subscription;

pub use connection::RabbitConnection;
pub use consumer::RabbitConsumer;
pub(super) use consumer::RabbitTag;
pub use replies::RabbitReplies;
pub use settings::{ClientCertificate, RabbitSettings, RabbitTls};
pub use subscription::RabbitSubscription;
