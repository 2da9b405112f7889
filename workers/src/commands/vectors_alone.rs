//! The source of vectors of a command that runs no session: a server is asked on an account of the command's own.

use precis_evidence::meaning::Meaning;
use precis_proto::SessionId;
use precis_proto::meaning::read_meaning_key;
use precis_runtime::clock::unix_time;
use precis_runtime::config::Settings;
use precis_runtime::model::{BillingContext, Failure};
use precis_runtime::store::{MemoryStore, Store};

use crate::assembly::pipeline;
use crate::cli::exit::{CommandFailure, Exit};
use crate::meaning::{ModelOfMeaning, Payer, WorkingModel, describe};
use crate::options::account;

/// Begins work with `model`. To be called within a runtime.
///
/// # Errors
/// [`Exit::Usage`] if the server of `[roles.embedding]` cannot be asked, such as without its key.
pub(super) fn begin(settings: &Settings, model: &ModelOfMeaning) -> Result<WorkingModel, CommandFailure> {
    if let ModelOfMeaning::Loaded(_) = model {
        return Ok(model.begin(|| unreachable!("only a server is asked")));
    }
    let models = pipeline::models(settings, Store::Memory(MemoryStore::new()));
    let models = models.map_err(|error| CommandFailure::new(Exit::Usage, "no_model", error.to_string()))?;
    let name = format!("command-{:x}-{:x}", unix_time().as_nanos(), std::process::id());
    let session = SessionId::new(name).expect("hexadecimal and short");
    let billing = Box::new(BillingContext::new(session, account(settings)));
    Ok(model.begin(|| Payer::Command { models, billing }))
}

/// What a person is told where a server gave no vectors.
pub(super) fn describe_failure(working: &WorkingModel, failure: &Failure) -> String {
    let (_, server) = read_meaning_key(working.key());
    let model = server.map_or_else(String::new, |server| server.model);
    format!("`roles.embedding` ({model}) gave no vectors ({})", describe(failure))
}
