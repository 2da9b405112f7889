//! Handlers, models and settings put together.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`pipeline`] | handlers, models and settings put together |
//! | [`settings`] | settings as the handlers read them |
//! | [`model_gate`] | where the runtime asks and `distill` answers |
//! | [`model_windows`] | how much the models take that nobody has described |
//! | [`search_providers`] | search providers from settings and environment |
//! | [`paid`] | the end of a process that pays for answers |
//! | [`pages`] | the guarded client, set up when the first page is asked for |
//! | [`extract_service`] | pages through Tavily, where it is configured |
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
