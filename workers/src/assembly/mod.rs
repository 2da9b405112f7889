//! Puts handlers, models and search providers together, and runs a whole session in this process.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`pipeline`] | the handlers of every job kind, put together with those of the phases; the models |
//! | `phase_handlers` | the handlers of the phases |
//! | [`model_gate`] | the runtime's model gate, implemented with `precis_context` |
//! | [`model_windows`] | windows of models that are not configured or built in |
//! | [`search_providers`] | search providers from settings and environment |
//! | [`webhooks`] | webhook endpoints from settings and environment |
//! | `conversation`, [`embedded_error`] | the caller of such a session; why it ended without a response |
//! | `refused_request` | a refusal in the words of the command line |
//! | [`paid`] | waits for paid answers when a process ends |
//! | [`embedded`] | a whole session in this process |

mod conversation;
pub mod embedded;
pub mod embedded_error;
pub mod model_gate;
pub mod model_windows;
pub mod paid;
mod phase_handlers;
pub mod pipeline;
pub(crate) mod refused_request;
pub mod search_providers;
pub mod webhooks;
