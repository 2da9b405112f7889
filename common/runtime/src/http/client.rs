//! The only builder of HTTP clients: decisions that apply to every connection are made here.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, redirect};
use url::Url;

/// Longest time to connect to a service.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Installs `ring` as the TLS provider of this process. Only the first call has an effect; repeats are harmless.
#[expect(clippy::disallowed_methods, reason = "the one place that says which TLS")]
pub(crate) fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Returns the builder of a client that connects only to the given address: no redirects, no proxy from the environment.
#[expect(clippy::disallowed_methods, reason = "the one place that decides what a client of reqwest's own does not")]
pub(crate) fn client_builder() -> ClientBuilder {
    install_tls();
    Client::builder().redirect(redirect::Policy::none()).no_proxy()
}

/// Returns [`client_builder`] for a service at `base`, with this program's name and version as User-Agent and a connect timeout.
pub(crate) fn service_client_builder(base: &Url) -> ClientBuilder {
    let builder = client_builder().user_agent(format!("precis/{}", crate::VERSION)).connect_timeout(CONNECT_TIMEOUT);
    // Plain http needs no certificates: skip loading them, so that a machine without any can still reach a local server.
    if base.scheme() == "http" { builder.tls_certs_only([]) } else { builder }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_redirect_is_returned_and_the_user_agent_is_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (heads, to) = (Arc::new(Mutex::new(Vec::new())), format!("{base}/other"));
        let kept = heads.clone();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut head = [0; 1_024];
                let size = socket.read(&mut head).await.unwrap_or_default();
                kept.lock().expect("not poisoned").push(String::from_utf8_lossy(&head[..size]).into_owned());
                let answer =
                    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        });
        let address = Url::parse(&base).expect("an address");
        for builder in [client_builder(), service_client_builder(&address)] {
            let client = builder.build().expect("a client");
            assert_eq!(client.get(address.clone()).send().await.expect("an answer").status().as_u16(), 302);
        }
        let heads = heads.lock().expect("not poisoned");
        assert_eq!(heads.len(), 2, "{heads:?}");
        assert!(heads[1].contains(&format!("user-agent: precis/{}", crate::VERSION)), "{}", heads[1]);
    }
}
