//! The queue, the batches, the requests. A collector that is away or never answers delays nobody: spans that find the queue full are dropped
//! and counted, and those of a request that failed are lost and counted.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use url::Url;

use super::otlp;
use super::settings::{ExportFault, ExportSettings};
use super::span::Span;
use crate::http::service_client_builder;
use crate::telemetry::metrics;

/// Most spans that wait, and most of a request, as the specification has it for batches.
const QUEUE: usize = 2_048;
const BATCH: usize = 512;
/// Longest wait of a span for more of its batch.
const DELAY: Duration = Duration::from_secs(5);
/// Longest time to send what waits at the end of the process.
const FLUSH_TIME: Duration = Duration::from_secs(5);

/// A span, or a wish to know when all before it were sent.
#[derive(Debug)]
enum Message {
    Span(Box<Span>),
    Flush(oneshot::Sender<()>),
}

/// Sends spans in a task of its own. Dropping it ends the task; what waits is lost.
#[derive(Debug)]
pub struct SpanExporter {
    queue: mpsc::Sender<Message>,
    _sending: AbortOnDropHandle<()>,
}

/// The queue of this process, if spans are exported.
static QUEUE_OF_PROCESS: OnceLock<mpsc::Sender<Message>> = OnceLock::new();

/// Exports the spans of this process from now on. A second call has no effect on where they go.
///
/// # Errors
/// [`ExportFault`] if no client can be made of the settings.
pub fn start(settings: &ExportSettings) -> Result<SpanExporter, ExportFault> {
    let exporter = SpanExporter::start(settings)?;
    let _ = QUEUE_OF_PROCESS.set(exporter.queue.clone());
    Ok(exporter)
}

/// Records the span that `make` returns, if spans are exported and `context` is one of a trace that is recorded.
pub fn record(
    context: Option<crate::telemetry::TraceContext>,
    make: impl FnOnce(crate::telemetry::TraceContext) -> Span,
) {
    let (Some(queue), Some(context)) = (QUEUE_OF_PROCESS.get(), context) else { return };
    if context.is_sampled() {
        put(queue, make(context));
    }
}

fn put(queue: &mpsc::Sender<Message>, span: Span) {
    if queue.try_send(Message::Span(Box::new(span))).is_err() {
        metrics().spans.count_ended("dropped", 1);
    }
}

impl SpanExporter {
    fn start(settings: &ExportSettings) -> Result<Self, ExportFault> {
        let client = client(settings)?;
        let (queue, waiting) = mpsc::channel(QUEUE);
        let sending = tokio::spawn(send_all(waiting, client, settings.clone()));
        Ok(Self { queue, _sending: AbortOnDropHandle::new(sending) })
    }

    /// Waits until everything that was recorded is sent, for five seconds at most.
    pub async fn flush(&self) {
        let (sent, all_sent) = oneshot::channel();
        let flushed = async {
            if self.queue.send(Message::Flush(sent)).await.is_ok() {
                let _ = all_sent.await;
            }
        };
        let _ = timeout(FLUSH_TIME, flushed).await;
    }
}

fn client(settings: &ExportSettings) -> Result<Client, ExportFault> {
    let fault =
        ExportFault { variable: "OTEL_EXPORTER_OTLP_HEADERS", expected: "names and values of HTTP header fields" };
    let mut headers = HeaderMap::new();
    for (name, value) in &settings.headers {
        let name = HeaderName::try_from(name).map_err(|_| fault.clone())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| fault.clone())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let unusable = ExportFault {
        variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
        expected: "an address, and trusted certificates for https://",
    };
    let url = Url::parse(settings.url.expose()).map_err(|_| unusable.clone())?;
    let builder = service_client_builder(&url).default_headers(headers).timeout(settings.timeout);
    builder.build().map_err(|_| unusable)
}

async fn send_all(mut waiting: mpsc::Receiver<Message>, client: Client, settings: ExportSettings) {
    let mut is_failing = false;
    loop {
        let (batch, flushed) = batch(&mut waiting).await;
        if batch.is_empty() && flushed.is_none() {
            return;
        }
        if !batch.is_empty() {
            let sent = send(&client, &settings, &batch).await;
            // Once for each time it goes away: nobody reads a line for each batch.
            match &sent {
                Err(reason) if !is_failing => {
                    tracing::warn!(reason, url = %settings.url, "the collector takes no spans; they are lost until it does")
                }
                Ok(()) if is_failing => tracing::info!("the collector takes spans again"),
                Ok(()) | Err(_) => {}
            }
            is_failing = sent.is_err();
            metrics().spans.count_ended(if sent.is_ok() { "exported" } else { "failed" }, batch.len() as u64);
        }
        if let Some(flushed) = flushed {
            let _ = flushed.send(());
        }
    }
}

/// Waits for a span, and then for more of them, until the batch is full, its time is over, or somebody waits for its end.
async fn batch(waiting: &mut mpsc::Receiver<Message>) -> (Vec<Span>, Option<oneshot::Sender<()>>) {
    let mut batch = Vec::new();
    match waiting.recv().await {
        Some(Message::Span(span)) => batch.push(*span),
        Some(Message::Flush(flushed)) => return (batch, Some(flushed)),
        None => return (batch, None),
    }
    let until = Instant::now() + DELAY;
    while batch.len() < BATCH {
        match timeout_at(until, waiting.recv()).await {
            Ok(Some(Message::Span(span))) => batch.push(*span),
            Ok(Some(Message::Flush(flushed))) => return (batch, Some(flushed)),
            Ok(None) | Err(_) => break,
        }
    }
    (batch, None)
}

/// Sends a batch once.
///
/// # Errors
/// Why it was not taken; without address and header fields.
async fn send(client: &Client, settings: &ExportSettings, batch: &[Span]) -> Result<(), String> {
    let body = otlp::request(&settings.resource, batch).to_string();
    let sent = client.post(settings.url.expose()).body(body).send().await;
    let response = sent.map_err(|error| error.without_url().to_string())?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(format!("it answered {}", status.as_u16())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use precis_proto::SessionId;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::telemetry::TraceContext;
    use crate::telemetry::spans::conventions::retrieval;

    type Got = Arc<Mutex<Vec<(String, serde_json::Value)>>>;

    /// A collector that answers `status`, or nobody ever.
    async fn collector(status: Option<u16>) -> (String, Got) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let got = Got::default();
        let kept = Arc::clone(&got);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, status, Arc::clone(&kept)));
            }
        });
        (url, got)
    }

    async fn serve(mut stream: TcpStream, status: Option<u16>, got: Got) -> Option<()> {
        loop {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.ok()?);
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let length = head.to_ascii_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())?;
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.ok()?;
            got.lock().expect("not poisoned").push((head, serde_json::from_slice(&body).ok()?));
            let Some(status) = status else { return std::future::pending().await };
            let answer = format!("HTTP/1.1 {status} Word\r\ncontent-length: 2\r\n\r\n{{}}");
            stream.write_all(answer.as_bytes()).await.ok()?;
        }
    }

    fn exporter(url: &str) -> SpanExporter {
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", url),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=planted"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "200"),
        ];
        let environment: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let settings = ExportSettings::read(&environment).expect("fine").expect("on");
        SpanExporter::start(&settings).expect("a client")
    }

    fn span() -> Span {
        let session = SessionId::new("s").expect("an id");
        retrieval(TraceContext::start(), &session, "brave", None, Duration::from_millis(3))
    }

    fn spans(got: &Got) -> Vec<usize> {
        let count = |body: &serde_json::Value| {
            body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().map_or(0, Vec::len)
        };
        got.lock().expect("not poisoned").iter().map(|(_, body)| count(body)).collect()
    }

    #[tokio::test]
    async fn spans_come_in_batches_and_all_of_them_at_the_end() {
        let (url, got) = collector(Some(200)).await;
        let exporter = exporter(&url);
        for _ in 0..=BATCH {
            put(&exporter.queue, span());
        }
        exporter.flush().await;
        assert_eq!(spans(&got), [BATCH, 1]);
        let got = got.lock().expect("not poisoned");
        assert!(got[0].0.starts_with("POST /v1/traces ") && got[0].0.contains("x-key: planted"), "{}", got[0].0);
        assert!(got[0].0.to_ascii_lowercase().contains("content-type: application/json"), "{}", got[0].0);
    }

    #[tokio::test]
    async fn a_failing_or_silent_collector_delays_no_session() {
        for status in [Some(503), None] {
            let (url, got) = collector(status).await;
            let exporter = exporter(&url);
            let since = Instant::now();
            for _ in 0..QUEUE + BATCH + 1 {
                put(&exporter.queue, span());
            }
            assert!(since.elapsed() < Duration::from_secs(1), "{:?}", since.elapsed());
            exporter.flush().await;
            assert!(since.elapsed() < Duration::from_secs(6), "{:?}", since.elapsed());
            assert!(!spans(&got).is_empty());
        }
        assert!(metrics().text().contains("precis_spans_total{outcome=\"failed\"}"));
    }

    #[tokio::test]
    async fn what_finds_the_queue_full_is_dropped_and_counted() {
        let (queue, _waiting) = mpsc::channel(QUEUE);
        let dropped = || {
            let text = metrics().text();
            let line = text.lines().find(|line| line.starts_with("precis_spans_total{outcome=\"dropped\"}"));
            line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).expect("a count")
        };
        let before = dropped();
        for _ in 0..QUEUE {
            put(&queue, span());
        }
        assert_eq!(queue.capacity(), 0);
        put(&queue, span());
        assert!(dropped() > before);
    }
}
