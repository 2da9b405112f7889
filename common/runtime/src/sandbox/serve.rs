//! The child's side: applies the limits, then answers requests until its input ends.

use std::io;
use std::panic::PanicHookInfo;

use super::frame::{self, FrameError};
use super::limits::ChildLimits;

/// The header of a child's first message: it has limited itself and is ready. The body lists the restrictions in force.
pub(super) const READY: &[u8] = b"ready";

/// Answers requests from standard input on standard output until the input ends. Call it from the hidden subcommand, before any runtime
/// or thread is started, and do nothing else in that process. `handle` takes and returns a header and a body; it must not depend on
/// anything else, because any child may get any request.
///
/// The limits come from the parent and are applied before anything is read. A panic of `handle` ends the process; only its location
/// goes to standard error, never its message, which may quote a document.
///
/// # Errors
/// If this process was not started by a [`super::Sandbox`], a limit cannot be set, or a stream fails.
pub fn serve(mut handle: impl FnMut(&[u8], &[u8]) -> (Vec<u8>, Vec<u8>)) -> io::Result<()> {
    let limits = ChildLimits::from_parent()?;
    std::panic::set_hook(Box::new(print_location));
    let walls = limits.apply()?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    // Sent only now: for the parent it means that the limits are in force.
    frame::write(&mut output, READY, walls.to_string().as_bytes())?;
    loop {
        let (header, body) = match frame::read(&mut input, limits.max_request_bytes) {
            Ok(request) => request,
            Err(FrameError::Ended) => return Ok(()),
            Err(FrameError::Malformed(what)) => return Err(io::Error::other(what)),
        };
        limits.allow_one_request()?;
        let (header, body) = handle(&header, &body);
        frame::write(&mut output, &header, &body)?;
    }
}

/// Writes the last three parts of the path, and the line; the rest of the path names the machine it was built on.
#[expect(clippy::disallowed_macros, reason = "what a child writes there is its only log, which its parent reads")]
fn print_location(info: &PanicHookInfo<'_>) {
    let Some(place) = info.location() else { return };
    let mut parts: Vec<&str> = place.file().rsplit('/').take(3).collect();
    parts.reverse();
    eprintln!("panicked at {}:{}", parts.join("/"), place.line());
}
