//! As much of an HTTP/1.1 client as the figures need: one connection that is kept, answers with a length, streams without an end.

use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// Bytes of a connection's buffer. Small: thousands of readers are in one process.
const BUFFER: usize = 4 * 1024;

/// A kept connection.
#[derive(Debug)]
pub struct HttpConnection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl HttpConnection {
    /// Connects.
    ///
    /// # Errors
    /// If nobody listens.
    pub async fn open(address: SocketAddr) -> Result<Self, String> {
        Self::open_with(TcpSocket::new_v4(), address).await
    }

    /// Connects with the smallest buffer that the system gives: what is not read soon waits at the other end.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_narrow(address: SocketAddr) -> Result<Self, String> {
        let socket = TcpSocket::new_v4().and_then(|socket| socket.set_recv_buffer_size(1).map(|()| socket));
        Self::open_with(socket, address).await
    }

    async fn open_with(socket: std::io::Result<TcpSocket>, address: SocketAddr) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("connect {address}: {e}");
        let stream = socket.map_err(failed)?.connect(address).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(Self { stream: BufReader::with_capacity(BUFFER, stream), address })
    }

    /// Sends a request, and returns the status and the body.
    ///
    /// # Errors
    /// If the connection breaks.
    pub async fn call(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, Vec<u8>), String> {
        let (status, length) = self.head(method, path, body).await?;
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).await.map_err(|e| format!("read {path}: {e}"))?;
        Ok((status, answer))
    }

    /// Sends a request, and reads its answer up to the body; returns the status and the length of the body.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn head(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, usize), String> {
        self.send(method, path, body).await?;
        let (mut status, mut length) = (0, 0);
        loop {
            let Some(line) = self.line().await? else {
                return Err(format!("{method} {path}: the connection ended"));
            };
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                return Ok((status, length));
            } else if let Some(code) = line.strip_prefix("http/1.1 ") {
                status = code.get(..3).and_then(|code| code.parse().ok()).unwrap_or(0);
            } else if let Some(bytes) = line.strip_prefix("content-length: ") {
                length = bytes.parse().map_err(|_| format!("{path}: a length"))?;
            }
        }
    }

    /// Sends a request.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(), String> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let sent = self.stream.get_mut().write_all(request.as_bytes()).await;
        sent.map_err(|e| format!("{method} {path}: {e}"))
    }

    /// Returns the next line of a body that has no end; `None` at its end.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn line(&mut self) -> Result<Option<String>, String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await.map_err(|e| e.to_string())?;
        Ok((read > 0).then_some(line))
    }
}
