//! Ports for servers that a test kills and starts again.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;

/// The ports to choose from, below those that the kernel gives to outgoing connections (32768 and up on Linux). A client that tries a
/// server while it is away may be given the server's own port there: it then connects to itself, and the server cannot listen any more.
const PORTS: Range<u16> = 12_000..32_000;
/// Most ports that are tried.
const TRIES: usize = 1_000;

/// Ports of the loopback interface nobody listens on, all different because all are held until the last is known.
///
/// # Errors
/// The last refusal, where no port can be had.
pub(super) fn free_ports<const N: usize>() -> io::Result<[u16; N]> {
    let mut held: Vec<(u16, TcpListener)> = Vec::new();
    let mut refused = io::Error::other("no port was tried");
    for _ in 0..TRIES {
        if let Ok(ports) = <[u16; N]>::try_from(held.iter().map(|(port, _)| *port).collect::<Vec<_>>()) {
            return Ok(ports);
        }
        let port = PORTS.start + rand::random::<u16>() % (PORTS.end - PORTS.start);
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => held.push((port, listener)),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_different_and_none_is_of_those_for_outgoing_connections() {
        let mut ports = free_ports::<20>().expect("free ports");
        ports.sort_unstable();
        assert!(
            ports.windows(2).all(|two| two[0] < two[1]) && ports.iter().all(|port| PORTS.contains(port)),
            "{ports:?}"
        );
    }
}
