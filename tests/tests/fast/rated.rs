//! A model that judges a report as a whole, from the prompt to the pages: what it is shown in which order, what becomes of what it says,
//! and that nothing of it changes what is counted.

use precis_proto::claim::Evaluation;
use precis_proto::judgement::{Dimension, JudgementStanding, JudgingOutcome, ReportJudgement};
use precis_proto::response::{ReportData, Response};
use precis_proto::task::Role;
use precis_report::rendering::{html, markdown};
use precis_report::verify::{ArchiveReader, verify};
use precis_runtime::config::Settings;
use precis_tests::provider::{Reply, Scripted, Seen};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::{Value, json};

const QUERY: &str = "How much ice did the glacier of Brem lose?";
const SOURCE: &str = "The survey was made on foot. The glacier of Brem lost a third of its ice in the last decade. \
                      The winter was mild.";
const QUOTE: &str = "lost a third of its ice";

/// What a judge says to a request for scores; statements it finds supported.
async fn judge(rate: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Scripted {
    Scripted::answering(move |seen| match seen.schema_name() {
        "ratings" => rate(seen),
        _ => Reply::Text(json!({ "verdict": "supported", "quote": QUOTE, "reason": "" }).to_string()),
    })
    .await
}

async fn report(roles: Value, judge: &Scripted, more: Value) -> ReportData {
    let settings = json!({
        "providers": { "judge": { "kind": "openai", "base_url": judge.base_url() } },
        "roles": roles,
    });
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source =
        json!({ "source_id": "s1", "title": "Survey", "content": SOURCE, "url": "https://ice.example/survey" });
    let mut body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": [source] });
    body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    world.submit_body("s", &body).await;
    let data = result_of(&world, "s").await.data.expect("a report");
    let found = verify(&Response::report(data.clone()), ArchiveReader { text: &|_| None, blocks: &|_| None });
    let told: Vec<String> = found.mismatches.iter().map(ToString::to_string).collect();
    let own: Vec<&String> = told.iter().filter(|line| !line.contains("archive")).collect();
    assert!(own.is_empty(), "{own:?}");
    data
}

async fn rated(rate: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> (ReportData, Scripted) {
    let judge = judge(rate).await;
    let data = report(json!({ "evaluation": { "providers": ["judge:m"] } }), &judge, json!({})).await;
    (data, judge)
}

fn judgement(data: &ReportData) -> &ReportJudgement {
    data.evaluation.as_ref().and_then(|found| found.judgement.as_ref()).expect("a judgement")
}

/// Scores for the dimensions in their order, with these words.
fn scores(of: impl Fn(usize) -> u8, quote: &str) -> Reply {
    let rating = |(n, dimension): (usize, &Dimension)| json!({ "dimension": dimension, "quote": quote, "reason": "it says so", "score": of(n) });
    let ratings: Vec<Value> = Dimension::ALL.iter().enumerate().map(rating).collect();
    Reply::Text(json!({ "ratings": ratings }).to_string())
}

fn is_second(seen: &Seen) -> bool {
    let text = seen.user();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    at(" report\n") > at(" source 1: Survey")
}

/// What stands beside the judgement.
fn rest(data: &ReportData) -> (String, Option<Evaluation>, usize) {
    let counted = data.evaluation.clone().map(|found| Evaluation { judgement: None, answers: Vec::new(), ..found });
    (data.report.clone(), counted, data.claims.len())
}

#[tokio::test]
async fn a_report_is_judged_in_two_orders_and_kept_apart_from_counts() {
    let (data, judge) =
        rated(|seen| scores(|n| if n == 1 && is_second(seen) { 5 } else { 2 + (n % 2) as u8 }, QUOTE)).await;
    let found = judgement(&data);
    assert_eq!(found.judged_by, ["judge:m"]);
    assert_eq!((found.count(JudgementStanding::Given), found.count(JudgementStanding::Disputed)), (7, 1), "{found:?}");
    let disputed = &found.dimensions[1];
    assert_eq!((disputed.normalized, disputed.variance), (None, Some(1.0)), "3 and 5");
    assert_eq!(found.dimensions[0].normalized, Some(0.25));
    let seen = judge.seen();
    let asked: Vec<&Seen> = seen.iter().filter(|seen| seen.schema_name() == "ratings").collect();
    assert_eq!(asked.iter().map(|seen| is_second(seen)).collect::<Vec<_>>(), [false, true]);
    for seen in &asked {
        let text = seen.user();
        for shown in [QUERY, QUOTE, "https://ice.example/survey"] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        let place = |word: &str| text.rfind(word).unwrap_or_else(|| panic!("{word}: {text}"));
        assert_eq!(place(" depth") > place(" balance"), is_second(seen), "{text}");
    }
    let paid = data.spend.iter().find(|row| row.role == Role::Evaluation && row.provider == "judge:m").expect("a row");
    assert_eq!(paid.calls, seen.len() as u64, "{paid:?}");
    // Without a judge nothing but that is missing.
    let nobody = Scripted::start([]).await;
    let without = report(json!({}), &nobody, json!({})).await;
    assert!(without.evaluation.as_ref().is_some_and(|found| found.judgement.is_none()));
    assert_eq!(rest(&without), rest(&data));
    let (page, text) =
        (html::render(&data, &[], &Default::default(), &Default::default()), markdown::render(&data, &[]));
    let line = text.lines().find(|line| line.contains("Opinion of the model judge:m")).expect("a line");
    assert!(line.contains("source quality 3 and 5, disputed") && line.contains("depth 2 and 2"), "{line}");
    assert!(page.contains("<details class=\"opinion\">") && page.contains("3 and 5, disputed"), "{page}");
    let (first, answer) = (text.lines().take(4).collect::<String>(), page.find("Opinion of the model"));
    assert!(!first.contains("Opinion") && answer > page.find(QUOTE), "it stands below what is counted");
}

#[tokio::test]
async fn a_judge_that_does_not_judge_is_shown_and_changes_nothing() {
    use JudgingOutcome::{Answered, SameForAll, Unanswered};
    type Rate = fn(&Seen) -> Reply;
    let contradicts: Rate = |_| {
        let twice = |score: u8| json!({ "dimension": "depth", "quote": QUOTE, "reason": "", "score": score });
        Reply::Text(json!({ "ratings": [twice(1), twice(5)] }).to_string())
    };
    let cases: [(&str, Rate, JudgingOutcome); 6] = [
        ("5 of 5 to all", |_| scores(|_| 5, QUOTE), SameForAll),
        ("contradicts itself", contradicts, Answered),
        ("prose", |_| Reply::Text("A fine report. 5 of 5!".to_owned()), Unanswered),
        ("quotes what is not there", |_| scores(|n| 1 + (n % 5) as u8, "gained a third of its ice"), Answered),
        ("never answers", |_| Reply::status(400), Unanswered),
        ("says nothing", |_| Reply::EmptyContent, Unanswered),
    ];
    let nobody = Scripted::start([]).await;
    let without = report(json!({}), &nobody, json!({})).await;
    for (what, rate, outcome) in cases {
        let (data, judge) = rated(rate).await;
        let found = judgement(&data);
        assert_eq!(found.count(JudgementStanding::Missing), 8, "{what}: {found:?}");
        assert!(found.dimensions.iter().all(|one| one.normalized.is_none()), "{what}");
        assert!(found.orders.iter().all(|one| one.outcome == outcome && one.counted == 0), "{what}: {found:?}");
        assert_eq!(rest(&without), rest(&data), "{what}");
        let asked = judge.seen().into_iter().filter(|seen| seen.schema_name() == "ratings").count();
        assert!(asked <= 4, "{what}: {asked}");
        let text = markdown::render(&data, &[]);
        let line = text.lines().find(|line| line.contains("Opinion of the model")).expect("a line");
        assert!(line.contains("report first: ") && !line.contains("depth"), "{what}: {line}");
    }
}

#[tokio::test]
async fn a_judge_that_costs_too_much_is_not_asked() {
    for (most, outcome) in [(1_000, JudgingOutcome::NotAsked), (1_000_000, JudgingOutcome::Answered)] {
        let judge = judge(|_| scores(|n| 2 + (n % 2) as u8, QUOTE)).await;
        let roles = json!({ "evaluation": { "providers": ["judge:m"] } });
        let data = report(roles, &judge, json!({ "options": { "max_spend_tokens": most } })).await;
        let found = judgement(&data);
        assert!(found.orders.iter().all(|one| one.outcome == outcome), "{most}: {found:?}");
        // Two orders, and whether the report answers.
        assert_eq!(judge.calls(), if outcome == JudgingOutcome::NotAsked { 0 } else { 3 }, "{most}");
    }
}
