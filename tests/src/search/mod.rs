//! A scripted search server: it speaks the shape of every search provider, keeps what it was asked, and misbehaves on demand.
//!
//! One server plays all providers: `base_url(kind)` ends with the word of the kind, and the path of a request tells whom it plays.
//! What it finds is decided by an [`Engine`]; what it does with a request by a script of [`Reply`]s, one per request in order of
//! arrival, and [`Reply::Fitting`] after its end.

mod pages;
mod script;
mod server;
mod shape;

pub use pages::{Engine, Page, ranked};
pub use script::Reply;
pub use server::{KEY, ScriptedSearch, Seen};
pub(crate) use shape::answer as answer_of;
