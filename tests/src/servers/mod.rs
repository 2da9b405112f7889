//! Real services for a test run, and a way to break the connections to them: private, on the loopback interface, in a temporary
//! directory, ended by whoever started them.

mod ports;
pub mod proxy;
pub mod rabbit;
pub mod redis;
pub mod squid;
pub mod tls;
