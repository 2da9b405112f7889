//! Assembles handlers, models and settings.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`pipeline`] | assembles handlers, models and settings |
//! | [`settings`] | settings as the handlers read them |
//! | [`model_gate`] | the runtime's model gate, implemented with `distill` |
//! | [`model_windows`] | windows of models that are not configured or built in |
//! | [`search_providers`] | search providers from settings and environment |
//! | [`paid`] | waits for paid answers when a process ends |
//! | [`pages`] | the guarded client, created at the first page |
//! | [`extract_service`] | pages through Tavily, if it is configured |
//! | [`run_cache`] | whether answers are kept between runs |

pub mod extract_service;
pub mod model_gate;
pub mod model_windows;
pub mod pages;
pub mod paid;
pub mod pipeline;
pub mod run_cache;
pub mod search_providers;
pub mod settings;
