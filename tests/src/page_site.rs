//! A site on loopback whose pages are what a test says; each request is kept.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// The site. It ends with the process: it waits for nobody and holds nothing.
#[derive(Debug)]
pub struct PageSite {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl PageSite {
    /// A site with these pages, by path.
    ///
    /// # Panics
    /// Where no port is free.
    #[must_use]
    pub fn open(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let pages: BTreeMap<String, String> =
            pages.iter().map(|(path, html)| (format!("/{path}"), (*html).to_owned())).collect();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(path) = serve(stream, &pages) {
                    kept.lock().unwrap_or_else(PoisonError::into_inner).push(path);
                }
            }
        });
        Self { port, asked }
    }

    /// The address of a page.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Settings that let the program fetch its pages.
    #[must_use]
    pub fn settings(&self) -> String {
        format!("fetch_ports = [{}]\nfetch_allow_networks = ['127.0.0.0/8']\n", self.port)
    }

    /// Paths of the requests since the last time, in the order they came.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn serve(mut stream: TcpStream, pages: &BTreeMap<String, String>) -> Option<String> {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        request.push(byte[0]);
    }
    let path = String::from_utf8_lossy(&request).split(' ').nth(1)?.to_owned();
    let (status, body) = pages.get(&path).map_or(("404 Not Found", ""), |html| ("200 OK", html));
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    Some(path)
}
