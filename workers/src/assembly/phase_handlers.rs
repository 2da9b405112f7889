//! The handlers of the phases, in the order of a session. A phase that carries sources is a [`CheckedHandler`]: its ledger is checked before
//! the session leaves it. One that calls a model [falls back](FallsBack) to the built-in model.

use std::sync::Arc;

use precis_proto::digest::DigestPolicy;
use precis_proto::task::Role;
use precis_runtime::archive::Archive;
use precis_runtime::config::{JudgePolicy, Settings};
use precis_runtime::runner::Registry;

use crate::lanes::Lanes;
use crate::options::{
    DigestOptions, analysis_budget, compression_calls, follow_policy, is_model, judging_budget, synthesis_budget,
    writer_budget,
};
use crate::phases;
use crate::phases::{CheckedHandler, FallsBack};

/// Adds the phases that search: planning, gathering and refinement.
pub(super) fn search_phases(registry: Registry, settings: &Settings, lanes: &Arc<Lanes>) -> Registry {
    registry
        .phase(phases::PlanningPhase {
            lanes: Arc::clone(lanes),
            is_supervised: is_model(settings, Role::Supervision),
            is_kept_private: settings.is_kept_from(&settings.chain(Role::Supervision)),
        })
        .phase(FallsBack(phases::GatheringPhase {
            lanes: Arc::clone(lanes),
            is_supervised: is_model(settings, Role::Supervision),
            has_researcher: is_model(settings, Role::Research),
            is_kept_private: [Role::Supervision, Role::Research]
                .into_iter()
                .any(|role| settings.is_kept_from(&settings.chain(role))),
            is_strict: settings.privacy.is_strict,
        }))
        .phase(phases::RefinementPhase {
            lanes: Arc::clone(lanes),
            is_supervised: is_model(settings, Role::Supervision),
            is_strict: settings.privacy.is_strict,
        })
}

/// Adds the phases that turn sources into findings: extraction, digest, summarization and compression.
pub(super) fn source_phases(
    registry: Registry,
    settings: &Settings,
    archive: Option<Arc<Archive>>,
    digest: &DigestOptions,
) -> Registry {
    let (call_budget_tokens, calls) = (analysis_budget(settings), compression_calls(settings));
    let has_model = is_model(settings, Role::Compression);
    registry
        .phase(FallsBack(CheckedHandler(phases::ExtractionPhase {
            archive,
            follow: follow_policy(settings),
            writer: phases::WriterRoom {
                tokens: writer_budget(settings),
                always_digests: digest.policy == DigestPolicy::Always,
            },
        })))
        .phase(FallsBack(CheckedHandler(phases::DigestPhase {
            settings: digest.clone(),
            call_budget_tokens,
            calls,
            has_model,
        })))
        .phase(FallsBack(CheckedHandler(phases::SummarizationPhase {
            call_budget_tokens,
            calls,
            allow_dropping: settings.tokens.allow_content_dropping,
            settings: digest.clone(),
            has_model,
        })))
        .phase(FallsBack(CheckedHandler(phases::CompressionPhase { call_budget_tokens, calls })))
}

/// Adds the phases that write and judge a report: synthesis and evaluation.
pub(super) fn report_phases(registry: Registry, settings: &Settings) -> Registry {
    registry
        .phase(FallsBack(CheckedHandler(phases::SynthesisPhase {
            report_tokens: settings.report.target_tokens(is_model(settings, Role::Synthesis)),
            budget_tokens: synthesis_budget(settings),
            writer_tokens: writer_budget(settings),
            reads_prose: is_model(settings, Role::Synthesis),
        })))
        .phase(FallsBack(phases::EvaluationPhase {
            has_judge: is_model(settings, Role::Evaluation) && settings.report.judge != JudgePolicy::Off,
            judges: settings.chain(Role::Evaluation),
            judge: settings.report.judge,
            judging_tokens: judging_budget(settings),
            rates: settings.names(Role::Evaluation),
            is_strict: settings.privacy.is_strict,
            manages_tokens: settings.tokens.enabled,
        }))
}
