//! What is logged on one thread, down to the finest level.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

/// What was logged so far. Clones are the same log.
#[derive(Debug, Clone, Default)]
pub struct LogCapture(Arc<Mutex<Vec<u8>>>);

impl LogCapture {
    /// Captures what this thread logs until the guard is dropped: every event and every span of the program, with all fields.
    pub fn start(&self) -> tracing::subscriber::DefaultGuard {
        let filter = "precis_proto=trace,precis_text=trace,precis_extract=trace,precis_evidence=trace,precis_context=trace,precis_research=trace,precis_report=trace,precis_corpus=trace,precis_runtime=trace,precis_workers=trace";
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new(filter))
            .with_span_events(FmtSpan::FULL)
            .with_ansi(false)
            .with_writer(self.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    /// The lines so far.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One line.
#[derive(Debug)]
pub struct LogWriter(LogCapture);

impl io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogCapture {
    type Writer = LogWriter;

    fn make_writer(&'a self) -> LogWriter {
        LogWriter(self.clone())
    }
}
