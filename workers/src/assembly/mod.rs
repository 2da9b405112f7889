//! Puts handlers, models and search providers together, and runs a whole session in this process.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`pipeline`] | the handlers of every phase and job kind; the models |
//! | [`model_gate`] | the runtime's model gate, implemented with `precis_context` |
//! | [`model_windows`] | windows of models that are not configured or built in |
//! | [`search_providers`] | search providers from settings and environment |
//! | [`paid`] | waits for paid answers when a process ends |
//! | [`embedded`] | a whole session in this process |

pub mod embedded;
pub mod model_gate;
pub mod model_windows;
pub mod paid;
pub mod pipeline;
pub mod search_providers;
