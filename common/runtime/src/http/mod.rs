//! HTTP code shared by all clients.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `client` | the only builder of clients, and TLS |
//! | `retry_after` | reads the wait that a response asks for |

mod client;
pub(crate) mod retry_after;

pub(crate) use client::{client_builder, install_tls, service_client_builder};
