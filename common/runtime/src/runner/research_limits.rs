//! Validates the research options of a request: the rules that its types do not express.

use std::ops::RangeInclusive;

use precis_proto::failure_code::FailureCode;
use precis_proto::request::{MAX_QUERY_CHARS, RESEARCH_REQUEST_VERSION, ResearchRequest};
use precis_proto::research::{
    MAX_CORPORA, MAX_DOMAINS, MAX_KEPT_ROUNDS, MAX_LANE_PROVIDERS, MAX_REFINEMENTS, MAX_RESEARCH_SOURCES, Plan,
    ResearchOptions,
};

use super::request_fault::RequestFault;

/// Most sub-questions of a plan.
const MAX_SUB_QUESTIONS: usize = 20;
/// Longest name of a provider, and longest domain, in bytes.
const MAX_NAME_BYTES: usize = 253;

/// Returns what is wrong with the research options of a request; `None` if they are valid or absent.
pub(super) fn fault(request: &ResearchRequest) -> Option<RequestFault> {
    let research = request.options.research.as_ref()?;
    let fault = |code, message: String, field: &str| {
        Some(RequestFault { code, message, pointer: format!("/options/research{field}") })
    };
    if request.schema_version < RESEARCH_REQUEST_VERSION {
        let message =
            format!("research needs schema_version {RESEARCH_REQUEST_VERSION}, got {}", request.schema_version);
        return fault(FailureCode::UnsupportedVersion, message, "");
    }
    if !research.names_something() {
        let message = "research needs a corpus, a collection or a search provider, got none".to_owned();
        return fault(FailureCode::NothingToSearch, message, "");
    }
    let lists = [
        ("corpus", research.corpus.len(), MAX_CORPORA),
        ("collections", research.corpus.len().saturating_add(research.collections.len()), MAX_CORPORA),
        ("web", research.web.len(), MAX_LANE_PROVIDERS),
        ("academic", research.academic.len(), MAX_LANE_PROVIDERS),
        ("allow_domains", research.allow_domains.len(), MAX_DOMAINS),
        ("deny_domains", research.deny_domains.len(), MAX_DOMAINS),
    ];
    if let Some((field, found, most)) = lists.into_iter().find(|(_, found, most)| found > most) {
        let message = format!("{field} must have at most {most} entries, got {found}");
        return fault(FailureCode::TooManyEntries, message, &format!("/{field}"));
    }
    if let Some((message, field)) = invalid_limit(research) {
        return fault(FailureCode::InvalidLimit, message, &format!("/{field}"));
    }
    if let Some((field, name)) = invalid_name(research) {
        // Cut, because the caller chooses its length.
        let shown: String = name.chars().take(60).collect();
        return fault(FailureCode::InvalidName, format!("`{shown}` is not a name or a domain"), &format!("/{field}"));
    }
    if let Some(since) = research.since.as_deref().filter(|since| !is_day(since)) {
        let shown: String = since.chars().take(60).collect();
        return fault(FailureCode::InvalidDate, format!("`{shown}` is not a day such as 2026-01-31"), "/since");
    }
    if let Some((message, field)) = research.plan.as_ref().and_then(invalid_plan) {
        return fault(FailureCode::InvalidPlan, message, &format!("/plan{field}"));
    }
    let fork = research.fork.as_ref()?;
    let round = fork.from.round as usize;
    let message = format!("fork keeps at most {MAX_KEPT_ROUNDS} rounds, got {round}");
    if round <= MAX_KEPT_ROUNDS { None } else { fault(FailureCode::InvalidLimit, message, "/fork/from/round") }
}

/// Returns the first limit that is out of range: the message and its field.
fn invalid_limit(research: &ResearchOptions) -> Option<(String, &'static str)> {
    let numbers = [
        ("max_sources", research.max_sources, 1..=MAX_RESEARCH_SOURCES),
        ("max_searches", research.max_searches, 1..=MAX_RESEARCH_SOURCES),
        ("max_rounds", research.max_rounds, 1..=MAX_RESEARCH_SOURCES),
        ("max_refinements", research.max_refinements, 0..=MAX_REFINEMENTS),
    ];
    let beyond = |(field, number, range): (&'static str, Option<u32>, RangeInclusive<u32>)| {
        let n = number.filter(|n| !range.contains(n))?;
        let (least, most) = (range.start(), range.end());
        Some((format!("{field} must be a whole number from {least} to {most}, got {n}"), field))
    };
    numbers.into_iter().find_map(beyond)
}

/// Returns the first invalid provider name or domain, with its field.
fn invalid_name(research: &ResearchOptions) -> Option<(&'static str, &String)> {
    let lists = [
        ("web", &research.web),
        ("academic", &research.academic),
        ("allow_domains", &research.allow_domains),
        ("deny_domains", &research.deny_domains),
    ];
    let is_name = |name: &String| {
        let is_name_char = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(is_name_char)
    };
    lists.into_iter().find_map(|(field, names)| Some((field, names.iter().find(|name| !is_name(name))?)))
}

/// Whether `text` is a calendar day of the form `2026-01-31`.
fn is_day(text: &str) -> bool {
    text.len() == "2026-01-31".len() && text.parse::<jiff::civil::Date>().is_ok()
}

/// Returns what is wrong with a plan, and the pointer within it.
fn invalid_plan(plan: &Plan) -> Option<(String, String)> {
    let count = plan.sub_questions.len();
    if count == 0 || count > MAX_SUB_QUESTIONS {
        return Some((
            format!("a plan must have 1 to {MAX_SUB_QUESTIONS} sub-questions, got {count}"),
            "/plan".to_owned(),
        ));
    }
    plan.sub_questions.iter().enumerate().find_map(|(place, sub_question)| {
        let chars = sub_question.text.chars().count();
        if sub_question.text.trim().is_empty() || chars > MAX_QUERY_CHARS {
            let message = format!("a sub-question must have 1 to {MAX_QUERY_CHARS} characters, got {chars}");
            return Some((message, format!("/plan/{place}/text")));
        }
        let is_known = |id: &String| plan.sub_questions[..place].iter().any(|before| before.id == *id);
        let unknown = sub_question.after.iter().find(|id| !is_known(id))?;
        let shown: String = unknown.chars().take(60).collect();
        Some((format!("`after` must name an earlier sub-question, got `{shown}`"), format!("/plan/{place}/after")))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pointer(research: Value) -> Option<(&'static str, String)> {
        let body = json!({ "schema_version": 3, "session_id": "s", "query": "q", "sources": [], "options": { "research": research } });
        fault(&serde_json::from_value(body).expect("a request"))
            .map(|fault| (fault.code.known_word().expect("a word"), fault.pointer))
    }

    fn plan(sub_questions: usize) -> Value {
        let one = |n: usize| json!({ "id": format!("q{n}"), "text": "What?", "answered_when": "", "priority": 1, "origin": "plan" });
        let brief = json!({ "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [], "written_by": "x" });
        json!({ "brief": brief, "plan": (0..sub_questions).map(one).collect::<Vec<_>>() })
    }

    #[test]
    fn each_rule_names_its_code_and_its_place() {
        let at = |field: &str| format!("/options/research{field}");
        assert_eq!(pointer(json!({ "web": ["searxng"] })), None);
        let (collection, corpus) = (json!({ "id": "c" }), json!({ "manifest": format!("sha256:{}", "0".repeat(64)) }));
        for (research, code, place) in [
            (json!({}), "nothing_to_search", ""),
            (json!({ "collections": vec![collection.clone(); MAX_CORPORA + 1] }), "too_many_entries", "/collections"),
            (
                json!({ "corpus": vec![corpus.clone(); 1], "collections": vec![collection.clone(); MAX_CORPORA] }),
                "too_many_entries",
                "/collections",
            ),
            (json!({ "web": vec!["x"; MAX_LANE_PROVIDERS + 1] }), "too_many_entries", "/web"),
            (json!({ "web": ["x"], "deny_domains": vec!["x"; MAX_DOMAINS + 1] }), "too_many_entries", "/deny_domains"),
            (json!({ "web": ["x"], "max_rounds": 0 }), "invalid_limit", "/max_rounds"),
            (json!({ "web": ["x"], "max_sources": 5_001 }), "invalid_limit", "/max_sources"),
            (json!({ "web": ["../x"] }), "invalid_name", "/web"),
            (json!({ "web": ["x"], "allow_domains": [""] }), "invalid_name", "/allow_domains"),
            (json!({ "web": ["x"], "since": "yesterday" }), "invalid_date", "/since"),
            (json!({ "web": ["x"], "since": "2026-13-01" }), "invalid_date", "/since"),
            (json!({ "web": ["x"], "since": "2026-02-29" }), "invalid_date", "/since"),
            (json!({ "web": ["x"], "since": "2026-02-28T10:00:00" }), "invalid_date", "/since"),
            (json!({ "web": ["x"], "plan": plan(0) }), "invalid_plan", "/plan/plan"),
            (json!({ "web": ["x"], "plan": plan(21) }), "invalid_plan", "/plan/plan"),
        ] {
            assert_eq!(pointer(research.clone()), Some((code, at(place))), "{research}");
        }
        let fits = [
            json!({ "collections": vec![collection.clone(); MAX_CORPORA - 1] }),
            json!({ "collections": vec![collection.clone(); MAX_CORPORA] }),
            json!({ "corpus": [corpus], "collections": vec![collection; MAX_CORPORA - 1] }),
            json!({ "web": vec!["x"; MAX_LANE_PROVIDERS] }),
            json!({ "web": ["x"], "max_sources": 5_000 }),
            json!({ "web": ["x"], "since": "2024-02-29", "deny_domains": vec!["x"; MAX_DOMAINS] }),
        ];
        for fits in fits {
            assert_eq!(pointer(fits), None);
        }
        for (count, is_refused) in [(1, false), (20, false), (21, true)] {
            assert_eq!(pointer(json!({ "web": ["x"], "plan": plan(count) })).is_some(), is_refused, "{count}");
        }
        let fork = |round: usize| {
            let hash = format!("sha256:{}", "0".repeat(64));
            let from = json!({ "session": "s", "report": hash, "round": round });
            json!({ "web": ["x"], "fork": { "from": from, "rounds": hash } })
        };
        for round in [0, MAX_KEPT_ROUNDS - 1, MAX_KEPT_ROUNDS] {
            assert_eq!(pointer(fork(round)), None, "{round}");
        }
        assert_eq!(pointer(fork(MAX_KEPT_ROUNDS + 1)), Some(("invalid_limit", at("/fork/from/round"))));
        let mut circle = plan(2);
        circle["plan"][0]["after"] = json!(["q1"]);
        assert_eq!(pointer(json!({ "web": ["x"], "plan": circle })), Some(("invalid_plan", at("/plan/plan/0/after"))));
    }

    #[test]
    fn research_needs_its_version_of_the_request() {
        let body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [], "options": { "research": { "web": ["x"] } } });
        let found = fault(&serde_json::from_value(body).expect("a request"));
        assert_eq!(found.map(|fault| fault.code), Some(FailureCode::UnsupportedVersion));
    }
}
