//! Log lines on standard error: as text, or one JSON object per line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

/// Format of a log line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Plain text for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Installs the subscriber of this process; a second call has no effect. `directives` is a level or a list such as
/// `info,precis_runtime=debug`; invalid directives count as `info`.
pub fn install(directives: &str, format: LogFormat) {
    let filter = EnvFilter::try_new(without_amqp_client(directives)).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let installed = match format {
        LogFormat::Text => builder.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).finish().try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(false).finish().try_init(),
    };
    // Another subscriber, such as a test's, was installed first: it stays.
    let _ = installed;
}

/// The AMQP client logs returned messages, including their bodies, and reports the end of every connection as an error: it is always
/// silenced.
fn without_amqp_client(directives: &str) -> String {
    format!("{directives},lapin=off")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amqp_client_stays_silent_whatever_is_asked_for() {
        for asked in ["info", "trace,lapin=trace", "warn,precis_runtime=debug"] {
            let filter = EnvFilter::try_new(without_amqp_client(asked)).expect("directives").to_string();
            assert!(filter.contains("lapin=off") && !filter.contains("lapin=trace"), "{filter}");
        }
    }
}
