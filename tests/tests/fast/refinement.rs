//! Further iterations of research: what a report lacks is looked for again, the better report is kept, and every pass balances, whoever dies.

use std::sync::Arc;

use precis_proto::research::{GapKind, Iteration, KeptReason, KeptReport, Refinement, RefinementEnd};
use precis_proto::response::ReportData;
use precis_proto::task::Role;
use precis_report::ledger;
use precis_runtime::config::Settings;
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_worker, result_of};
use precis_workers::assembly::pipeline;
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use serde_json::{Value, json};

use super::rounds::{asked_at, corpus, proved};

/// One round finds the film, which names who made it; where she was born stands in a document that shares no word with the question.
const QUESTION: &str = "Where was the director of Blue Moon born?";
const FILM: &str = "Blue Moon is a drama film of 1950 that was directed by Ann Bell and starred Tom Fox.";
const DOCUMENTS: [(&str, &str); 6] = [
    ("film.txt", FILM),
    ("bell.txt", "Ann Bell (1901 to 1980) came from Leeds, her birthplace, and worked in the theatre."),
    ("fox.txt", "Tom Fox was a singer who toured widely."),
    ("ferry.txt", "The ferry of Leeds crossed the river until 1932. It was owned by Carl Hope."),
    ("rock.txt", "Granite cools slowly below the surface of the earth."),
    ("mill.txt", "The mill was closed in 2003, and its wheel stands in the museum."),
];

async fn request(world: &World, question: &str, more: Value) -> Value {
    let many = more["many"].as_bool().is_some().then(|| more["many"].clone());
    let others: Vec<(String, String)> = (0..if many.is_some() { 12 } else { 0 })
        .map(|n| {
            let words = [
                "river", "stone", "winter", "garden", "copper", "violin", "harvest", "lantern", "meadow", "anchor",
                "thunder", "velvet",
            ];
            (
                format!("note-{n}.txt"),
                format!("The director of Blue Moon liked the {} {n} and the director of Blue Moon said so.", words[n]),
            )
        })
        .collect();
    let all: Vec<(&str, &str)> = DOCUMENTS
        .into_iter()
        .chain(others.iter().map(|(path, text)| (path.as_str(), text.as_str())))
        .chain(many.is_some().then_some(("late.txt", "Ann Bell was born in Leeds in the year 1901.")))
        .collect();
    let manifest = corpus(world, &all).await;
    // One round before the first report, and one for each iteration.
    let rounds = 1 + more["max_refinements"].as_u64().unwrap_or(2);
    let mut research = json!({ "corpus": proved(world, &manifest).await, "max_rounds": rounds });
    let mut fields = more.as_object().cloned().unwrap_or_default();
    fields.remove("many");
    research.as_object_mut().expect("an object").extend(fields);
    json!({ "schema_version": 3, "session_id": "one", "query": question, "sources": [], "options": { "research": research } })
}

/// The report on `question` with the models of `settings`; every pass of it balances.
async fn report(question: &str, more: Value, settings: Value) -> ReportData {
    let world = World::new().await;
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let registry = pipeline::searching_registry(&settings, parser, None, Arc::new(Lanes::default()));
    let _worker = real_worker(&world, &settings, registry).await;
    world.submit_body("one", &request(&world, question, more).await).await;
    let response = result_of(&world, "one").await;
    let data = response.data.unwrap_or_else(|| panic!("{:?}", response.error));
    assert_eq!(ledger::check(&data.ledger), Ok(()), "{:?}", data.ledger);
    assert_eq!(ledger::check_records(&data.ledger, &data.content_fidelity), Ok(()));
    let found = precis_report::verify::verify(
        &precis_proto::response::Response::report(data.clone()),
        precis_report::verify::ArchiveReader { text: &|_| None, blocks: &|_| None },
    );
    let told: Vec<String> = found.mismatches.iter().map(ToString::to_string).collect();
    let own: Vec<&String> = told.iter().filter(|line| !line.contains("archive")).collect();
    assert!(own.is_empty(), "{own:?}");
    data
}

fn refinement(data: &ReportData) -> &Refinement {
    data.research.as_ref().and_then(|research| research.refinement.as_ref()).expect("a refinement")
}

fn only(data: &ReportData) -> &Iteration {
    let all = refinement(data).iterations.as_slice();
    let [one] = all else { panic!("{all:?}") };
    one
}

fn paths(data: &ReportData) -> Vec<&str> {
    data.sources.iter().filter_map(|row| row.path.as_deref()).collect()
}

#[tokio::test]
async fn report_gaps_are_searched_again_and_the_better_report_is_kept() {
    let without = report(QUESTION, json!({ "max_refinements": 0 }), json!({})).await;
    assert!(!paths(&without).contains(&"bell.txt"), "one round does not find her: {:?}", paths(&without));
    assert!(without.research.as_ref().is_some_and(|research| research.refinement.is_none()));
    let data = report(QUESTION, json!({ "max_refinements": 1 }), json!({})).await;
    let one = only(&data);
    assert!(one.gaps.iter().any(|gap| gap.kind == GapKind::SubQuestion && !gap.queries.is_empty()), "{one:?}");
    assert!(paths(&data).contains(&"bell.txt"), "{:?} {one:?}", paths(&data));
    assert_eq!((one.kept, one.visit, one.directives.is_empty()), (KeptReport::Later, Some(1), false), "{one:?}");
    assert!(!one.sources_added.is_empty() && one.supported_after >= one.supported_before, "{one:?}");
    let visits: std::collections::BTreeSet<u32> = data.ledger.iter().map(|row| row.visit).collect();
    assert_eq!(visits.into_iter().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(data.content_fidelity.visit(), 1);
    assert_eq!(refinement(&data).ended, RefinementEnd::Iterations);
    // What was there before is there still, in its place.
    assert_eq!(paths(&data)[..paths(&without).len()], paths(&without)[..]);
    let rounds = |data: &ReportData| data.research.as_ref().map_or(0, |research| research.rounds.len());
    assert_eq!(rounds(&data), rounds(&without) + 1, "an iteration is one round");
}

#[tokio::test]
async fn a_complete_report_is_left_unchanged_without_search_or_call() {
    let question = "Who directed Blue Moon?";
    let without = report(question, json!({ "max_refinements": 0 }), json!({})).await;
    let data = report(question, json!({ "depth": "deep" }), json!({})).await;
    assert_eq!(*refinement(&data), Refinement { iterations: Vec::new(), ended: RefinementEnd::NothingToDo });
    let searches = |data: &ReportData| data.research.as_ref().map(|research| research.budget.searches[0]);
    assert_eq!((searches(&data), &data.report), (searches(&without), &without.report));
    let calls = |data: &ReportData| data.spend.iter().map(|row| row.calls + row.repeated_calls).sum::<u64>();
    assert_eq!(calls(&data), calls(&without));
}

#[tokio::test]
async fn unfindable_gaps_are_searched_within_bounds_and_the_report_stays() {
    let question = "Who directed Blue Moon, and who owned the brewery of Corvinia?";
    let without = report(question, json!({ "max_refinements": 0, "max_sources": 6 }), json!({})).await;
    for most in [1, 2] {
        let data = report(question, json!({ "max_refinements": most, "max_sources": 6 }), json!({})).await;
        let told = refinement(&data);
        assert!(told.iterations.len() <= most, "{told:?}");
        let research = data.research.as_ref().expect("research");
        assert!(research.budget.searches[0] <= research.budget.searches[1], "{:?}", research.budget);
        if told.iterations.iter().all(|one| one.kept == KeptReport::Earlier) {
            assert_eq!(data.report, without.report);
            assert_eq!(data.citations, without.citations);
        }
        let texts = research.rounds.iter().flat_map(|round| &round.directives).flat_map(|one| &one.queries);
        let texts: Vec<&str> = texts.filter_map(|query| query.text.as_deref()).collect();
        let once: std::collections::BTreeSet<&str> = texts.iter().copied().collect();
        assert_eq!(once.len(), texts.len(), "nothing is asked twice: {texts:?}");
    }
}

/// A session whose report is written by a script, one answer for each pass.
async fn written(answers: &[&str]) -> ReportData {
    let writer =
        Scripted::start(answers.iter().map(|answer| Reply::Text((*answer).to_owned())).collect::<Vec<_>>()).await;
    let settings = json!({
        "providers": { "writer": { "kind": "openai", "base_url": writer.base_url() } },
        "roles": { "synthesis": { "providers": ["writer:m"] } },
    });
    // So many documents that an answer is not among the first that are read: the writer is told more in a second pass.
    report(QUESTION, json!({ "max_refinements": 1, "many": true }), settings).await
}

#[tokio::test]
async fn the_supported_share_is_never_below_what_it_was() {
    // Whichever finding is the film's: what cites nothing that there is, loses that citation.
    let marks = (1..=16).map(|n| format!(" [{n}]")).collect::<String>();
    let perfect = format!("{FILM}{marks}");
    let lying = format!("{perfect}\n\nThe glacier of Brem lost 41 percent of its ice in 1876. [1]");
    let weak = "It is a film. [1]".to_owned();
    for first in [&perfect, &lying, &weak] {
        for second in [&perfect, &lying, &weak] {
            let data = written(&[first, second]).await;
            let one = only(&data);
            let share = data.evaluation.as_ref().map(|counted| counted.supported_share);
            assert!(share >= one.supported_before, "{first:?} then {second:?}: {one:?} {share:?}");
            let kept = if one.kept == KeptReport::Later { one.supported_after } else { one.supported_before };
            assert_eq!(share, kept, "{one:?}");
        }
    }
    let data = written(&[&perfect, &lying]).await;
    assert_eq!(
        (only(&data).kept, only(&data).reason),
        (KeptReport::Earlier, KeptReason::LessSupported),
        "{:?}",
        only(&data)
    );
    assert!(!data.report.contains("Brem") && data.content_fidelity.visit() == 0, "{}", data.report);
    assert_eq!(data.ledger.iter().map(|row| row.visit).max(), Some(1), "the pass that was not kept is accounted for");
}

#[tokio::test]
async fn sources_that_did_not_change_are_read_by_a_model_once() {
    let reader = Scripted::start([]).await;
    let settings = json!({
        "providers": { "reader": { "kind": "openai", "base_url": reader.base_url() } },
        "roles": { "compression": { "providers": ["reader:m"] }, "summarization": { "providers": ["reader:m"] } },
    });
    let data = report(QUESTION, json!({ "max_refinements": 1 }), settings).await;
    assert!(only(&data).visit.is_some(), "{:?}", only(&data));
    let rows: Vec<_> =
        data.spend.iter().filter(|row| row.provider == "reader:m" && row.role == Role::Compression).collect();
    let count = |of: fn(&precis_proto::ledger::SpendRow) -> u64| rows.iter().map(|row| of(row)).sum::<u64>();
    // One call for the sources of each pass; those of the first are asked about again and answered by the memo.
    assert_eq!(count(|row| row.calls), 2, "{rows:?}");
    assert!(count(|row| row.cached_calls + row.repeated_calls) >= 1, "{rows:?}");
    assert_eq!(reader.seen().len(), 2, "nothing was paid twice");
}

#[tokio::test(start_paused = true)]
async fn a_two_pass_session_ends_equally_wherever_a_worker_dies() {
    let found = |point, nth| async move {
        let world = World::new().await;
        let body = request(&world, QUESTION, json!({ "max_refinements": 1 })).await;
        asked_at(world, &body, point, nth).await
    };
    let (whole, _) = found("never", 1).await;
    assert_eq!(
        whole["research"]["refinement"]["iterations"][0]["kept"], "later",
        "{}",
        whole["research"]["refinement"]
    );
    let paged = {
        let world = World::paged().await;
        let body = request(&world, QUESTION, json!({ "max_refinements": 1 })).await;
        asked_at(world, &body, "never", 1).await.0
    };
    assert_eq!(paged, whole, "a state on pages");
    for (point, nths) in [
        ("session.ran", &[3, 8, 9, 10, 11, 12, 16][..]),
        ("session.published", &[3, 8, 9, 10, 11, 12, 16]),
        ("session.fenced", &[8, 10, 12]),
        ("state.kept", &[9, 11, 14]),
        ("job.answered", &[2, 3, 4]),
        ("ack.before", &[10, 14]),
    ] {
        for nth in nths {
            let (again, reached) = found(point, *nth).await;
            assert!(reached >= *nth, "{point} was reached {reached} times: the row tests nothing");
            assert_eq!(again, whole, "{point} {nth}");
        }
    }
}

/// A supervisor who adds nothing to the plan, finds everything covered, and says this of what the report lacks.
async fn supervisor(gaps: Reply) -> Scripted {
    Scripted::answering(move |seen| {
        let answer = match seen.schema_name() {
            "plan" => {
                json!({ "restated": "", "kind": "fact", "constraints": [], "assumptions": [], "sub_questions": [] })
            }
            "thought" => json!({ "text": "All parts of it are covered.", "is_enough": true }),
            "delegation" => json!({ "directives": [], "is_complete": true, "reason": "all parts are covered" }),
            _ => return gaps.clone(),
        };
        Reply::Text(answer.to_string())
    })
    .await
}

fn gaps(each: &[(&str, &[&str])]) -> Reply {
    let gap = |(of, queries): &(&str, &[&str])| json!({ "sub_question": of, "text": "It does not say who owned it.", "severity": "critical", "queries": queries });
    Reply::Text(json!({ "gaps": each.iter().map(gap).collect::<Vec<_>>() }).to_string())
}

#[tokio::test]
async fn model_named_gaps_are_searched_within_bounds_and_lower_nothing() {
    let question = "Who directed Blue Moon?";
    let without = report(question, json!({ "max_refinements": 2 }), json!({})).await;
    assert!(refinement(&without).iterations.is_empty(), "nothing is lacking by what is computed");
    let many: Vec<String> = (0..40).map(|n| format!("owner of the ferry of Leeds {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    // What it says, and whether anything is looked for.
    for (what, said, is_heard) in [
        ("perfect", gaps(&[("q1", &["ferry of Leeds owner"])]), true),
        ("weak", gaps(&[("q1", &["granite"])]), true),
        ("lying", gaps(&[("q7", &["ferry of Leeds owner"])]), false),
        (
            "greedy",
            gaps(&[("q1", &many[..10]), ("q1", &many[10..20]), ("q1", &many[20..30]), ("q1", &many[30..])]),
            true,
        ),
        ("content", gaps(&[]), false),
        ("prose", Reply::Text("It lacks nothing, I would say.".to_owned()), false),
        ("silent", Reply::EmptyContent, false),
    ] {
        let model = supervisor(said).await;
        let settings = json!({
            "providers": { "boss": { "kind": "openai", "base_url": model.base_url() } },
            "roles": { "supervision": { "providers": ["boss:m"] } },
        });
        let data = report(question, json!({ "max_refinements": 2 }), settings).await;
        let told = refinement(&data);
        assert!(told.iterations.len() <= 2, "{what}: {told:?}");
        let named: Vec<_> = told
            .iterations
            .iter()
            .map(|one| one.gaps.iter().filter(|gap| gap.kind == GapKind::Model).collect::<Vec<_>>())
            .collect();
        assert_eq!(named.iter().any(|gaps| !gaps.is_empty()), is_heard, "{what}: {told:?}");
        assert!(
            named.iter().all(|gaps| gaps.len() <= 3 && gaps.iter().all(|gap| gap.queries.len() <= 3)),
            "{what}: {named:?}"
        );
        for one in &told.iterations {
            let after = if one.kept == KeptReport::Later { one.supported_after } else { one.supported_before };
            assert!(after >= one.supported_before, "{what}: {one:?}");
        }
        let share = |data: &ReportData| data.evaluation.as_ref().map(|found| found.supported_share);
        assert!(share(&data) >= share(&without), "{what}");
        let asked = model.seen().iter().filter(|seen| seen.schema_name() == "gaps").count();
        assert!((1..=9).contains(&asked), "{what}: {asked}");
        if !is_heard {
            assert_eq!((&data.report, &told.iterations), (&without.report, &Vec::new()), "{what}");
        }
    }
}
