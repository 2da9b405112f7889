//! A collector of spans that takes everything and keeps nothing.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

/// A collector; ends with the value.
#[derive(Debug)]
pub struct Collector {
    /// Where it listens.
    pub address: SocketAddr,
    bytes: Arc<AtomicU64>,
    _accepting: AbortOnDropHandle<()>,
}

impl Collector {
    /// Starts one.
    ///
    /// # Errors
    /// If there is no free port.
    pub async fn start() -> Result<Self, String> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|e| e.to_string())?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let bytes = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&bytes);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let counted = Arc::clone(&counted);
                // A connection that breaks is the sender's to open again.
                tokio::spawn(async move { drop(take(stream, &counted).await) });
            }
        });
        Ok(Self { address, bytes, _accepting: AbortOnDropHandle::new(accepting) })
    }

    /// Bytes of spans until now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

async fn take(stream: TcpStream, counted: &AtomicU64) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut length, mut line) = (0, String::new());
        while line.trim_end() != "" || length == 0 {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let field = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            length = field.and_then(|(_, bytes)| bytes.trim().parse().ok()).unwrap_or(length);
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        counted.fetch_add(length as u64, Ordering::Relaxed);
        stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await?;
    }
}
