//! What a proof of privacy needs: words that stand in private texts alone, a model that copies all it sees into whatever it may write,
//! and sinks that keep each byte that leaves.

mod base64;
mod canaries;
mod copying;
mod log_capture;
mod sink;

pub use base64::{base64, hidden_in};
pub use canaries::{Canaries, PREFIX};
pub use copying::{Copying, stolen};
pub use log_capture::LogCapture;
pub use sink::Sink;
