//! HTTP as every client here speaks it, whoever it talks to.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `client` | the one builder of clients, and TLS |
//! | `retry_after` | how long a server asks to be left alone |

mod client;
pub(crate) mod retry_after;

pub(crate) use client::{client_builder, install_tls, service_client_builder};
