//! Log lines on standard error: for people, or one JSON object each.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

pub use crate::config::LogFormat;

/// Installs the subscriber of this process; a second call changes nothing. `directives` are a level or a list such as
/// `info,precis_runtime=debug`; what cannot be read counts as `info`.
pub fn install(directives: &str, format: LogFormat) {
    let filter = EnvFilter::try_new(quieted(directives)).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let installed = match format {
        LogFormat::Text => builder.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).finish().try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(false).finish().try_init(),
    };
    // Somebody was faster, such as a test: their subscriber stays.
    let _ = installed;
}

/// The AMQP client prints messages that came back, bodies included, and the end of every connection as an error: it is silent, always.
fn quieted(directives: &str) -> String {
    format!("{directives},lapin=off")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amqp_client_stays_silent_whatever_is_asked_for() {
        for asked in ["info", "trace,lapin=trace", "warn,precis_runtime=debug"] {
            let filter = EnvFilter::try_new(quieted(asked)).expect("directives").to_string();
            assert!(filter.contains("lapin=off") && !filter.contains("lapin=trace"), "{filter}");
        }
    }
}
