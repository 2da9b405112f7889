//! What a proof of privacy needs: words that stand in private texts alone, a model that copies all it sees into whatever it may write,
//! sinks that keep each byte that leaves, a caller that asks for all that is told, and a search through it.

mod base64;
mod canaries;
mod copying;
mod door_visit;
mod log_capture;
mod silence;
mod sink;

pub use base64::{base64, hidden_in};
pub use canaries::{Canaries, PREFIX};
pub use copying::{Copying, stolen};
pub use door_visit::{DoorVisit, Told};
pub use log_capture::LogCapture;
pub use silence::Silence;
pub use sink::{Sink, told_outside};
