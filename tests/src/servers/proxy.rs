//! A TCP proxy in front of a server, to do to connections what networks do: hold, slow, cut, reset, refuse.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What the proxy does with connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Conduct {
    /// Nothing is passed on; connections stay open.
    is_paused: bool,
    /// New connections are accepted and closed at once.
    refuses: bool,
    /// Each piece of data is late by this much, either way.
    delay: Duration,
}

/// How connections are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// With a word (FIN).
    Cut,
    /// Without one (RST): what was under way is lost.
    Reset,
}

/// A proxy on a port of its own. Ends with the value, its connections too.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    conduct: watch::Sender<Conduct>,
    /// Connections under way: one task each. Cleared when all are ended.
    links: Arc<Mutex<Vec<Passage>>>,
    listener: JoinHandle<()>,
}

/// One connection through the proxy.
#[derive(Debug)]
struct Passage {
    end: watch::Sender<Option<End>>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// A proxy that passes everything on to `server`, a port on the loopback interface.
    pub async fn new(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port on the loopback interface");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let conduct = watch::Sender::new(Conduct { is_paused: false, refuses: false, delay: Duration::ZERO });
        let links = Arc::new(Mutex::new(Vec::new()));
        let (passages, told) = (Arc::clone(&links), conduct.clone());
        let listener = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if !told.borrow().refuses {
                    let (end, ended) = watch::channel(None);
                    let task =
                        tokio::spawn(pass(client, SocketAddr::from(([127, 0, 0, 1], server)), told.subscribe(), ended));
                    let mut passages = lock(&passages);
                    passages.retain(|p: &Passage| !p.task.is_finished());
                    passages.push(Passage { end, task });
                }
            }
        });
        Self { port, conduct, links, listener }
    }

    /// Where to connect instead of to the server.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Holds everything back, also on new connections, until [`Proxy::go_on`].
    pub fn pause(&self) {
        self.conduct.send_modify(|c| c.is_paused = true);
    }

    /// Passes on what was held back.
    pub fn go_on(&self) {
        self.conduct.send_modify(|c| c.is_paused = false);
    }

    /// Makes each piece of data late by `delay`, either way.
    pub fn delay(&self, delay: Duration) {
        self.conduct.send_modify(|c| c.delay = delay);
    }

    /// Closes new connections at once, or lets them through again.
    pub fn refuse(&self, refuses: bool) {
        self.conduct.send_modify(|c| c.refuses = refuses);
    }

    /// Closes every connection (FIN).
    pub async fn cut(&self) {
        self.end(End::Cut).await;
    }

    /// Resets every connection (RST).
    pub async fn reset(&self) {
        self.end(End::Reset).await;
    }

    async fn end(&self, how: End) {
        let passages = std::mem::take(&mut *lock(&self.links));
        for passage in &passages {
            passage.end.send_replace(Some(how));
        }
        for passage in passages {
            // A passage that panicked has ended too.
            let _ = passage.task.await;
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listener.abort();
        for passage in lock(&self.links).drain(..) {
            passage.task.abort();
        }
    }
}

/// Passes data both ways until either side closes or the proxy ends it.
async fn pass(
    client: TcpStream,
    server: SocketAddr,
    conduct: watch::Receiver<Conduct>,
    mut ended: watch::Receiver<Option<End>>,
) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    // As client and server have it. Otherwise the second of two small pieces waits until the first is acknowledged, which takes 40 ms.
    for end in [&client, &server] {
        let _ = end.set_nodelay(true);
    }
    let (mut client, mut server) = (client.into_split(), server.into_split());
    let how = tokio::select! {
        () = copy(&mut client.0, &mut server.1, conduct.clone()) => End::Cut,
        () = copy(&mut server.0, &mut client.1, conduct) => End::Cut,
        how = ended.wait_for(Option::is_some) => how.ok().and_then(|h| *h).unwrap_or(End::Cut),
    };
    if how == End::Reset {
        for (read, write) in [client, server] {
            let stream = read.reunite(write).expect("two halves of one");
            // Closing a socket that lingers for no time sends a reset.
            stream.set_zero_linger().expect("an open socket");
        }
    }
}

/// Copies pieces of data in order; ends with the connection.
async fn copy(from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf, mut conduct: watch::Receiver<Conduct>) {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let Ok(length @ 1..) = from.read(&mut piece).await else { return };
        let Ok(delay) = conduct.wait_for(|c| !c.is_paused).await.map(|c| c.delay) else { return };
        tokio::time::sleep(delay).await;
        if to.write_all(&piece[..length]).await.is_err() {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
