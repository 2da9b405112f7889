//! Sessions and their phases.

use precis_proto::Phase;
use precis_proto::failure_code::{FailureCode, FailureKind};
use precis_proto::response::Status;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::instruments::{Counters, Histograms, SECONDS, histograms, register_seconds};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SessionOutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InPhase {
    phase: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SettlementLabels {
    phase: &'static str,
    settlement: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PhaseTokenLabels {
    phase: &'static str,
    fate: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FailureCodeLabels {
    code: &'static str,
}

impl FailureCodeLabels {
    /// Failure codes unknown to this version share one label, so that labels stay few.
    fn from_code(code: &FailureCode) -> Self {
        Self { code: code.known_word().unwrap_or("other") }
    }
}

/// Whether a request is refused with this code before it becomes a session.
fn is_refusal(code: &FailureCode) -> bool {
    code.kind() == FailureKind::Request || *code == FailureCode::StateTooLarge
}

/// The settlements of a session delivery, with the names of `settle`.
const SETTLEMENTS: [&str; 9] =
    ["publish", "hand_over", "finish", "retry", "snooze", "fail", "bury", "stand_back", "abandon"];

/// Sessions of this process.
#[derive(Debug)]
pub struct SessionMetrics {
    accepted: prometheus_client::metrics::counter::Counter,
    refused: Counters<FailureCodeLabels>,
    ended: Counters<SessionOutcomeLabels>,
    duration: Histograms<SessionOutcomeLabels>,
    deliveries: Counters<SettlementLabels>,
    phase: Histograms<InPhase>,
    held: Gauge,
    tokens: Counters<PhaseTokenLabels>,
    warnings: Counters<FailureCodeLabels>,
}

impl SessionMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            accepted: <_>::default(),
            refused: <_>::default(),
            ended: <_>::default(),
            duration: histograms(SECONDS),
            deliveries: <_>::default(),
            phase: histograms(SECONDS),
            held: <_>::default(),
            tokens: <_>::default(),
            warnings: <_>::default(),
        };
        // Every series whose labels are known starts at 0: one that starts with its first event would show no increase.
        for outcome in [Status::Completed, Status::Failed, Status::Cancelled].map(Status::as_str) {
            drop(metrics.ended.get_or_create(&SessionOutcomeLabels { outcome }));
        }
        for phase in Phase::ALL.iter().map(|phase| phase.as_str()) {
            for settlement in SETTLEMENTS {
                drop(metrics.deliveries.get_or_create(&SettlementLabels { phase, settlement }));
            }
        }
        for code in FailureCode::KNOWN.iter().filter(|code| is_refusal(code)) {
            drop(metrics.refused.get_or_create(&FailureCodeLabels::from_code(code)));
        }
        registry.register("requests_accepted", "Requests that became sessions", metrics.accepted.clone());
        registry.register("requests_refused", "Requests refused, by code", metrics.refused.clone());
        registry.register("sessions", "Sessions ended, by outcome", metrics.ended.clone());
        register_seconds(registry, "session_duration", "Time from request to result", metrics.duration.clone());
        let help = "Session deliveries, by phase and settlement";
        registry.register("session_deliveries", help, metrics.deliveries.clone());
        register_seconds(
            registry,
            "phase_duration",
            "Time from the delivery of a session to its next step",
            metrics.phase.clone(),
        );
        registry.register("sessions_held", "Sessions this worker holds", metrics.held.clone());
        let help = "Tokens that entered a phase, by their fate: kept, reduced, dropped or duplicate";
        registry.register("ledger_tokens", help, metrics.tokens.clone());
        registry.register("warnings", "Warnings of ended sessions, by code", metrics.warnings.clone());
        metrics
    }

    /// Counts a request that became a session.
    pub fn count_accepted(&self) {
        self.accepted.inc();
    }

    /// Counts a refused request.
    pub fn count_refused(&self, code: &FailureCode) {
        self.refused.get_or_create(&FailureCodeLabels::from_code(code)).inc();
    }

    /// Records the end of a session: `completed`, `failed` or `cancelled`, `seconds` after its request.
    pub fn record_end(&self, outcome: &'static str, seconds: f64) {
        self.ended.get_or_create(&SessionOutcomeLabels { outcome }).inc();
        self.duration.get_or_create(&SessionOutcomeLabels { outcome }).observe(seconds);
    }

    /// Records the settlement of a delivery, `seconds` after it was received.
    pub fn record_settlement(&self, phase: &'static str, settlement: &'static str, seconds: f64) {
        self.deliveries.get_or_create(&SettlementLabels { phase, settlement }).inc();
        self.phase.get_or_create(&InPhase { phase }).observe(seconds);
    }

    /// How many sessions this process holds.
    #[must_use]
    pub fn held_count(&self) -> u64 {
        u64::try_from(self.held.get()).unwrap_or(0)
    }

    /// Counts a session as held until the guard is dropped.
    #[must_use]
    pub fn hold(&self) -> HeldSessionGuard {
        self.held.inc();
        HeldSessionGuard(self.held.clone())
    }

    /// Adds tokens of a finished phase: `fate` is `kept`, `reduced`, `dropped` or `duplicate`.
    pub fn tokens(&self, phase: &'static str, fate: &'static str, tokens: u64) {
        self.tokens.get_or_create(&PhaseTokenLabels { phase, fate }).inc_by(tokens);
    }

    /// Counts a warning of an ended session.
    pub fn warning(&self, code: &'static str) {
        self.warnings.get_or_create(&FailureCodeLabels { code }).inc();
    }
}

/// Counts a session or job as held while it lives.
#[derive(Debug)]
pub struct HeldSessionGuard(pub(super) Gauge);

impl Drop for HeldSessionGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
