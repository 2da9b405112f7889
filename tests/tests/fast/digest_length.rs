//! The digest of a long text has less than half of its characters at default settings, whatever it is written in and however much a model
//! writes of it. `PRECIS_CORPUS` names a folder with real documents, which are not part of this repository.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use precis_extract::{Hint, extract};
use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{Digest, DigestAnswer, DigestJob};
use precis_proto::{Phase, SourceId};
use precis_runtime::config::Settings;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use precis_workers::jobs::DigestJobHandler;
use precis_workers::jobs::digest_breaker::DigestBreaker;
use precis_workers::options::{DigestOptions, SummarySettings, extract_limits};
use serde_json::json;

/// What is asked of documents that nobody knows.
const QUERY: &str = "What was measured, and what does the result mean for those who come after?";

/// Makes digests and remembers them.
struct Remembering {
    real: DigestJobHandler,
    made: Arc<Mutex<Vec<(SourceId, DigestPayload)>>>,
}

impl JobHandler for Remembering {
    type Kind = Digest;

    async fn run(&self, job: DigestJob, ctx: &JobContext<Digest>) -> Result<DigestAnswer, JobError> {
        let id = job.source_id.clone();
        let answer = self.real.run(job, ctx).await?;
        self.made.lock().unwrap_or_else(PoisonError::into_inner).push((id, answer.payload.clone()));
        Ok(answer)
    }
}

/// The digests of a session on `documents` under `settings`.
async fn digests(settings: &Settings, documents: Vec<(SourceId, Bytes)>) -> Vec<(SourceId, DigestPayload)> {
    let made = Arc::default();
    let real = DigestJobHandler {
        settings: DigestOptions::from_settings(settings),
        summaries: SummarySettings::from_settings(settings),
        breaker: DigestBreaker::default(),
        meaning: None,
    };
    let world = World::new().await;
    let registry = real_registry(settings).job(Remembering { real, made: Arc::clone(&made) });
    let _worker = real_worker(&world, settings, registry).await;
    let mut sources = Vec::new();
    for (id, bytes) in documents {
        let content = world.content.put(bytes).await.expect("room in memory");
        let proof = world.content.proof("", &content).await.expect("in memory");
        sources.push(json!({ "source_id": id, "content_ref": content, "content_proof": proof }));
    }
    let body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": sources });
    world.submit_body("s", &body).await;
    let response = result_of(&world, "s").await;
    let data = response.data.unwrap_or_else(|| panic!("{:?}", response.error));
    let made = made.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for row in data.sources.iter().filter(|row| row.chars >= settings.digest.min_chars) {
        let level = data.content_fidelity.0[&row.source_id].phases[&Phase::Digest].level;
        assert_eq!(level, FidelityLevel::Digest, "{} of {} characters", row.source_id, row.chars);
    }
    made
}

/// Characters of a digest and of its text.
fn lengths(payload: &DigestPayload) -> (u64, u64) {
    (payload.digest_chars, payload.original_chars)
}

/// Digests that are no less than half as long as their texts, in words.
fn too_long(made: &[(SourceId, DigestPayload)]) -> Vec<String> {
    let is_long = |payload: &DigestPayload| payload.digest_chars * 2 >= payload.original_chars;
    let long = made.iter().filter(|(_, payload)| is_long(payload));
    long.map(|(id, payload)| format!("{id}: {:?}", lengths(payload))).collect()
}

/// Sentences of texts of several kinds; `{}` is a number.
const KINDS: [(&str, &[&str]); 7] = [
    (
        "english",
        &[
            "In the year {} the result was measured anew, and it means that the glacier lost a part of its ice. ",
            "Nobody came after {}. ",
            "What was measured in section {} does not hold for the valley below, as those who live there have said \
             for as long as there are records, in which the water, the road and the weather of each summer are kept. ",
        ],
    ),
    (
        "german",
        &[
            "Das Messergebnis {} der Gletscherbeobachtungskommission bedeutet Eisverlustbeschleunigung. ",
            "Wasserwirtschaftsverwaltungsvorschriften der Gemeinde {} gelten weiterhin uneingeschränkt. ",
        ],
    ),
    (
        // About as long as a point may be.
        "long sentences",
        &[
            "In section {} what was measured is set beside what had been expected by those who came before, by those who came after, by \
           the keepers of the road, by the keepers of the water, by the town, by the valley, by the people of the hills and by their \
           children, none of whom had measured anything, all of whom had an opinion on the result, on the meaning of the result, on \
           whoever had asked for it, on the cost of asking, and on the weather of that year, which was as warm as it had ever been. ",
        ],
    ),
    ("japanese", &["{}年に結果が測定された。", "氷河は後退し、その意味は後の人々に伝えられた。第{}節を見よ。"]),
    (
        "code",
        &["fn measured_{}(result: &Result) -> Mean {\n    result.mean() - 0x7f\n}\n", "// what was measured: {}\n"],
    ),
    ("table", &["| measured {} | 12.75 | 0.003 | -4 | NaN |\n"]),
    ("one line", &["measured-{}-result/"]),
];

fn document(name: &str, text: String) -> (SourceId, Bytes) {
    (SourceId::new(name).expect("an id"), Bytes::from(text))
}

/// A text of a kind, of exactly so many characters, none of which is a space at its end.
fn text(sentences: &[&str], chars: usize) -> String {
    let all = (0..).map(|n: usize| sentences[n % sentences.len()].replace("{}", &n.to_string()));
    let mut text = String::new();
    let mut left = chars;
    for sentence in all {
        let taken: String = sentence.chars().take(left).collect();
        left -= taken.chars().count();
        text.push_str(&taken);
        if left == 0 {
            text.pop();
            return text + "x";
        }
    }
    text
}

#[tokio::test]
async fn a_built_in_digest_has_less_than_half_of_a_long_text() {
    let settings = Settings::default();
    let least = usize::try_from(settings.digest.min_chars).expect("small");
    // One character more than the least: of exactly that many, five passages of 500 and as much prose of a single word are the half.
    for chars in [least + 1, 3 * least, 12 * least] {
        let documents = KINDS.iter().map(|(name, sentences)| document(name, text(sentences, chars)));
        let made = digests(&settings, documents.collect()).await;
        // A table is read as its cells, which are shorter than its lines.
        assert!(made.len() + 1 >= KINDS.len(), "{chars}: {} digests", made.len());
        assert_eq!(too_long(&made), [""; 0], "{chars}");
        for (id, payload) in &made {
            assert!(!payload.evidence_snippets.is_empty(), "{id} of {chars} says nothing");
        }
    }
}

#[tokio::test]
async fn a_digest_has_less_than_half_the_length_with_any_model() {
    let words = "Notwithstanding considerable environmental responsibilities, governmental organizations \
                 internationally acknowledged extraordinary transformations. ";
    let points: Vec<String> = (0..10).map(|n| format!("Point {n}: {words}{words}{words}")).collect();
    let wordy = json!({ "summary": words.repeat(40), "key_points": points }).to_string();
    let server = Scripted::start(vec![Reply::Text(wordy); 4]).await;
    let settings = json!({
        "providers": { "fake": { "kind": "openai", "base_url": server.base_url() } },
        "roles": { "summarization": { "providers": ["fake:m"] } },
    });
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let chars = usize::try_from(settings.digest.min_chars).expect("small");
    let made = digests(&settings, vec![document("a", text(KINDS[0].1, chars))]).await;
    assert!(server.calls() > 0 && made.len() == 1, "{} calls", server.calls());
    assert!(made[0].1.summary.contains("Notwithstanding"), "{:?}", made[0].1.summary);
    assert_eq!(too_long(&made), [""; 0]);
}

/// Documents of `folder` whose text is long enough, by their names.
fn real_documents(folder: &Path, settings: &Settings) -> Vec<(SourceId, Bytes)> {
    let mut documents = Vec::new();
    for kind in ["html", "pdf"] {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder.join(kind)).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == kind));
        paths.sort();
        for path in paths {
            let bytes = Bytes::from(std::fs::read(&path).expect("readable"));
            let read = extract(&bytes, &Hint::default(), settings.extraction.html, &extract_limits(settings));
            let is_long = read.is_ok_and(|read| read.text.chars() as u64 >= settings.digest.min_chars);
            let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| SourceId::new(name).ok());
            documents.extend(name.filter(|_| is_long).map(|name| (name, bytes)));
        }
    }
    documents
}

#[tokio::test]
async fn digests_of_real_documents_have_less_than_half_the_length() {
    let Some(corpus) = std::env::var_os("PRECIS_CORPUS") else {
        eprintln!("SKIPPED: PRECIS_CORPUS names no folder with html/ and pdf/; no real document was digested");
        return;
    };
    let settings = Settings::default();
    let documents = real_documents(Path::new(&corpus), &settings);
    let at_once = usize::try_from(settings.digest.max_sources).expect("small");
    let mut made = Vec::new();
    for documents in documents.chunks(at_once) {
        made.extend(digests(&settings, documents.to_vec()).await);
    }
    let longest = made.iter().map(|(_, payload)| payload.compression_ratio).fold(0.0, f64::max);
    println!("{} digests of {} long documents, the longest {longest:.3} of its text", made.len(), documents.len());
    assert!(!made.is_empty() && made.len() == documents.len(), "{} of {}", made.len(), documents.len());
    assert_eq!(too_long(&made), [""; 0]);
}
