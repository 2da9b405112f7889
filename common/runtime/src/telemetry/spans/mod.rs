//! Spans of sessions, for a collector that speaks OTLP over HTTP. Nothing is recorded unless one is configured.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `span` | what a span is |
//! | [`conventions`] | which spans there are, and the names of everything in them: one file |
//! | `ids` | the ids that several processes must agree on |
//! | `otlp` | spans as the JSON of OTLP |
//! | `settings` | the variables of OpenTelemetry that say where to |
//! | `exporter` | the queue, the batches, the requests |

pub mod conventions;
mod exporter;
mod ids;
mod otlp;
mod settings;
mod span;

pub use exporter::{SpanExporter, record, start};
pub use ids::{accept_span, session_span, unit_span};
pub use settings::{ExportFault, ExportSettings};
pub use span::{Attribute, Span, SpanKind};
