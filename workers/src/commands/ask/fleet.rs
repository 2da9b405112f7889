//! A follow-up question on a session of a fleet, submitted to that fleet.

use std::path::Path;

use bytes::Bytes;
use precis_proto::request::{RequestSource, ResearchRequest};
use precis_proto::research::{CorpusRef, ResearchOptions};
use precis_proto::response::ReportData;
use precis_proto::source::Quality;
use tokio_util::sync::CancellationToken;

use super::args::{AskArgs, nothing_to_read};
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands;
use crate::commands::disclosure::EarlierLabel;
use crate::commands::lane_args::LaneArgs;
use crate::commands::research;
use crate::commands::submit::{self, SubmitOptions};
use crate::commands::upload::{Uploads, request_source};
use crate::fleet::Caller;
use crate::input::{CollectedInputs, check_url, collect};
use crate::report::follow_up;

/// Submits the question and waits for the answer.
pub(super) fn ask_fleet(args: &AskArgs, project: String) -> Result<Exit, CommandFailure> {
    let settings = commands::operator_settings(&args.how.config)?;
    let session = commands::session_id(&args.session)?;
    if settings.services.content_url.is_none() {
        let message =
            format!("there is no report at `{session}`, and no fleet is configured to look up a session with this id");
        let failure = CommandFailure::new(Exit::Refused, "unknown_session", message);
        return Err(
            failure.with_remedy("pass the directory of a report, such as precis-out; for a fleet, set content_url")
        );
    }
    args.url.iter().try_for_each(|url| check_url(url))?;
    commands::block_on(async {
        let caller = commands::caller(&settings, "ask").await?;
        let failed = |e| commands::fleet_failed(&format!("read the result of {session}"), &e);
        let unknown = || {
            let message =
                format!("there is no report at `{session}`, and the fleet has no result for a session with this id");
            CommandFailure::new(Exit::Refused, "unknown_session", message)
        };
        let earlier = caller.result(&session).await.map_err(failed)?.ok_or_else(unknown)?;
        let data = earlier.data.ok_or_else(unknown)?;
        let label = EarlierLabel::of_session(&session, &data);
        let lanes = args.inherit(&label);
        let (request, uploads) =
            request((args, &lanes), &data, project, &caller, settings.extraction.max_bytes).await?;
        let (out, force) = (args.out_dir(), args.force);
        let submit_options = SubmitOptions {
            wait: true,
            out: Some(&out),
            force,
            json: args.how.json,
            quiet: args.how.quiet,
            privacy: label.passed_on(&lanes),
            ..SubmitOptions::default()
        };
        submit::carry_through(&settings, &caller, request, &uploads, &submit_options).await
    })
}

async fn request(
    (args, lanes): (&AskArgs, &LaneArgs),
    data: &ReportData,
    project: String,
    caller: &Caller,
    max_bytes: u64,
) -> Result<(ResearchRequest, Uploads), CommandFailure> {
    let given = match args.docs.is_empty() && args.url.is_empty() {
        true => CollectedInputs::default(),
        false => collect(&args.docs, &args.url, max_bytes, None, &CancellationToken::new())?,
    };
    let mut sources: Vec<RequestSource> = given.sources.iter().map(request_source).collect();
    if !args.only_new {
        // After the given documents: one that is given again replaces the earlier one.
        add_earlier_sources(data, caller, &mut sources).await;
    }
    if sources.is_empty() && !args.searches() {
        return Err(nothing_to_read());
    }
    let mut options = follow_up::options(data, project);
    options.report_tokens = args.report_tokens;
    options.deadline_seconds = args.limits.deadline;
    if args.searches() {
        let corpus = lanes.corpus.iter().map(|name| corpus_ref(name)).collect::<Result<_, _>>()?;
        options.research = Some(ResearchOptions { corpus, ..research::options(lanes, &args.limits) });
    }
    let session_id = submit::new_session_id();
    let query = args.question.clone();
    let request = ResearchRequest { schema_version: options.request_version(), session_id, query, sources, options };
    Ok((request, Uploads::of(&given.sources, max_bytes)))
}

/// Parses the hash of a published corpus.
fn corpus_ref(name: &Path) -> Result<CorpusRef, CommandFailure> {
    let manifest = name.to_str().and_then(|name| name.parse().ok()).ok_or_else(|| {
        let message =
            format!("--corpus {}: a fleet searches published corpora, and this is not the hash of one", name.display());
        CommandFailure::new(Exit::Usage, "invalid_usage", message)
            .with_remedy("run `precis corpus publish DIR` and pass the hash it prints")
    })?;
    Ok(CorpusRef { manifest, proof: None })
}

/// Adds the documents of the earlier session whose texts are still in the content store. Putting each text again restarts its
/// retention time, so that it is not removed while the new session runs.
pub(in crate::commands) async fn add_earlier_sources(
    data: &ReportData,
    caller: &Caller,
    sources: &mut Vec<RequestSource>,
) {
    for (row, content) in follow_up::readable(data) {
        if sources.iter().any(|given| given.source_id == row.source_id) {
            continue;
        }
        let kept = match caller.content.get(&content).await {
            Ok(bytes) => caller.content.put(Bytes::clone(&bytes)).await,
            Err(error) => Err(error),
        };
        if let Err(error) = kept {
            crate::cli::terminal::print_warning(&format!("source {} is left out: {error}", row.source_id));
            continue;
        }
        sources.push(RequestSource {
            source_id: row.source_id.clone(),
            title: row.title.clone(),
            url: row.url.clone(),
            pdf_url: None,
            snippet: None,
            content: None,
            content_base64: None,
            content_ref: Some(content),
            content_proof: None,
            content_type: Some(precis_extract::CANONICAL_TYPE.to_owned()),
            quality: Quality::default(),
            published_at: None,
            protected: false,
        });
    }
}
