//! The model of meaning of a process: one in memory, or one of a server.

use std::sync::Arc;

use precis_evidence::meaning::{Meaning, Vector};
use precis_runtime::config::Settings;
use precis_runtime::model::Failure;

use super::asking::{Asking, Payer};
use super::loaded::{LoadedModel, NoModel};
use super::served::ServedModel;

/// The model of meaning of a process.
#[derive(Debug, Clone)]
pub enum ModelOfMeaning {
    /// One in memory.
    Loaded(Arc<LoadedModel>),
    /// One of a server.
    Served(Arc<ServedModel>),
}

impl ModelOfMeaning {
    /// The configured model; `None` if there is none, or none that may receive private texts.
    ///
    /// # Errors
    /// [`NoModel`] if one is configured and cannot be used.
    pub fn from_settings(settings: &Settings) -> Result<Option<Self>, NoModel> {
        if let Some(served) = ServedModel::from_settings(settings) {
            return Ok(Some(Self::Served(Arc::new(served))));
        }
        Ok(LoadedModel::from_keys(&settings.meaning.meaning)?.map(Self::Loaded))
    }

    /// What its vectors depend on; part of the key of everything that was made with it.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Loaded(model) => model.key(),
            Self::Served(model) => &model.key,
        }
    }

    /// The source of vectors for one piece of work; a server is asked on the account of whom `payer` returns.
    pub(crate) fn begin(&self, payer: impl FnOnce() -> Payer) -> WorkingModel {
        match self {
            Self::Loaded(model) => WorkingModel::Loaded(Arc::clone(model)),
            Self::Served(model) => WorkingModel::Served(Arc::new(Asking::new(model, payer()))),
        }
    }
}

/// The source of vectors for one piece of work.
#[derive(Debug, Clone)]
pub enum WorkingModel {
    /// A model in memory.
    Loaded(Arc<LoadedModel>),
    /// A server.
    Served(Arc<Asking>),
}

impl WorkingModel {
    /// Why a server gave no vectors, if it did not.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Self::Loaded(_) => None,
            Self::Served(asking) => asking.failure(),
        }
    }

    fn source(&self) -> &dyn Meaning {
        match self {
            Self::Loaded(model) => &**model,
            Self::Served(asking) => &**asking,
        }
    }
}

impl Meaning for WorkingModel {
    fn key(&self) -> &str {
        self.source().key()
    }

    fn query(&self, text: &str) -> Option<Vector> {
        self.source().query(text)
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.source().passage(text)
    }

    fn passages(&self, texts: &[&str]) -> Vec<Option<Vector>> {
        self.source().passages(texts)
    }

    fn at_once(&self) -> usize {
        self.source().at_once()
    }
}
