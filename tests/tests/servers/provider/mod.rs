//! Model calls over real HTTP, against a provider that misbehaves on demand.

/// A test for each vendor's format out of each law that holds in all of them.
macro_rules! in_every_format {
    ($($law:ident),* $(,)?) => {
        mod openai {
            $(#[tokio::test] async fn $law() { super::$law(precis_runtime::model::Vendor::OpenAi).await; })*
        }
        mod anthropic {
            $(#[tokio::test] async fn $law() { super::$law(precis_runtime::model::Vendor::Anthropic).await; })*
        }
        mod gemini {
            $(#[tokio::test] async fn $law() { super::$law(precis_runtime::model::Vendor::Gemini).await; })*
        }
    };
}

mod answers;
mod breaker;
mod ceilings;
mod counter;
mod dialect;
mod limits;
mod malformed;
mod memo;
mod outside;
mod overflow;
mod redis;
mod tool;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use precis_proto::account::Account;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::label::Label;
use precis_proto::task::{CompressTask, SummarizeTask, Task, TaskPassage};
use precis_proto::warning::WarningCode;
use precis_proto::{Phase, SessionId};
use precis_runtime::model::{
    BillingContext, CallPolicy, Chain, Chains, Endpoint, ModelAnswer, ModelError, Models, ProviderConfig, Vendor,
    key_from,
};
use precis_runtime::store::{MemoryStore, Store};
use precis_tests::provider::{PromptGate, Reply, Scripted};

/// The provider of every test.
const FAKE: &str = "fake:small";
/// More time than any test takes.
const LONG: Duration = Duration::from_secs(60);

/// One scripted provider behind real prompts, with short pauses.
struct Bench {
    server: Scripted,
    memory: MemoryStore,
    config: ProviderConfig,
    policy: CallPolicy,
    gate: PromptGate,
    chain: Chain,
}

impl Bench {
    async fn new(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::speaking(Vendor::OpenAi, script).await
    }

    /// The same in the format of `vendor`.
    async fn speaking(vendor: Vendor, script: impl IntoIterator<Item = Reply>) -> Self {
        Self::from_server(vendor, Scripted::speaking(vendor, script).await)
    }

    fn from_server(vendor: Vendor, server: Scripted) -> Self {
        let config = ProviderConfig::server("fake", vendor, server.base_url(), None);
        let config = ProviderConfig { timeout: Duration::from_secs(20), ..config };
        let policy = CallPolicy {
            retry_delay: Duration::from_millis(40),
            flight_poll: Duration::from_millis(10),
            ..CallPolicy::default()
        };
        let gate = PromptGate::with_window(FAKE, 32_000, 512);
        Self { server, memory: MemoryStore::new(), config, policy, gate, chain: Chain::new([FAKE]) }
    }

    /// Gives the provider its key.
    fn with_key(&mut self, key: &str) {
        let Endpoint::Server(server) = &mut self.config.endpoint else { panic!("is a server") };
        server.api_key = key_from("fake", "KEY", |_| Some(key.to_owned())).expect("is set");
    }

    fn models(&self) -> Arc<Models> {
        self.models_on(Store::Memory(self.memory.clone()))
    }

    fn models_on(&self, store: Store) -> Arc<Models> {
        let gate = Arc::new(self.gate.clone());
        let models = Models::new(
            std::slice::from_ref(&self.config),
            Chains::all(self.chain.clone()),
            store,
            gate,
            self.policy.clone(),
        );
        Arc::new(models.expect("is well configured"))
    }

    /// One call of session `s` through models of its own.
    async fn call(&self, task: &Task) -> ModelAnswer {
        call(&self.models(), "s", task).await
    }
}

fn session(id: &str) -> SessionId {
    SessionId::new(id).expect("a valid id")
}

async fn try_call(models: &Models, id: &str, task: &Task, budget: Duration) -> Result<ModelAnswer, ModelError> {
    let billing = BillingContext::new(session(id), Account::default());
    models.call(Label::Private, &billing, &Arc::default(), Phase::Summarization, task, budget).await
}

async fn call(models: &Models, id: &str, task: &Task) -> ModelAnswer {
    try_call(models, id, task, LONG).await.expect("the chain ends with the built-in model")
}

/// A summary of a text that no other test number has.
fn summary(n: u32) -> Task {
    Task::Summarize(SummarizeTask {
        level: FidelityLevel::KeyPoints,
        query: "What holds?".into(),
        title: format!("Text {n}"),
        text: format!("Result {n} holds in all cases that were measured."),
        target_tokens: 100,
    })
}

/// Findings out of `n` passages of some 60 tokens.
fn findings(n: u32) -> Task {
    let passage = |id| TaskPassage {
        id,
        title: format!("Source {id}"),
        path: String::new(),
        source: id,
        text: format!("Passage {id} says that the result holds in most cases. ").repeat(5),
        score: f64::from(n - id) / f64::from(n),
        units: Vec::new(),
        headings: Vec::new(),
        columns: String::new(),
        context: Vec::new(),
        similarity: Default::default(),
    };
    let passages = (1..=n).map(passage).collect();
    Task::Compress(CompressTask {
        notes: Vec::new(),
        query: "What holds?".into(),
        topic: String::new(),
        passages,
        max_findings: 5,
        known: Default::default(),
    })
}

fn codes(called: &ModelAnswer) -> Vec<WarningCode> {
    called.warnings.iter().map(|w| w.code).collect()
}

/// The messages of the warnings of one code.
fn said(called: &ModelAnswer, code: WarningCode) -> Vec<&str> {
    called.warnings.iter().filter(|w| w.code == code).map(|w| w.message.as_str()).collect()
}
