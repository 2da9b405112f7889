//! A model in memory, for every session of the process.

use std::sync::Arc;

use precis_evidence::meaning::{Meaning, Vector};
use precis_meaning::Model;
use precis_meaning::container::ContainerError;
use precis_runtime::config::MeaningKeys;

use super::folder::{FolderError, ModelFolder};
use super::kept::KeptModel;

/// A model in memory.
#[derive(Debug)]
pub struct LoadedModel {
    kept: KeptModel,
    model: Model,
}

/// The configured model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NoModel {
    /// It is not there, or not as it was added.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// It is not a model.
    #[error(transparent)]
    Container(#[from] ContainerError),
}

impl LoadedModel {
    /// The configured model; `None` if there is none.
    ///
    /// # Errors
    /// [`NoModel`] if one is configured and cannot be used.
    pub fn from_keys(keys: &MeaningKeys) -> Result<Option<Arc<Self>>, NoModel> {
        let Some(kept) = Self::find_configured(keys)? else { return Ok(None) };
        let folder = ModelFolder::of_user().map_err(FolderError::from)?;
        let model = Model::read(&folder.read(&kept)?)?;
        Ok(Some(Arc::new(Self { kept, model })))
    }

    /// Which model is configured, without reading it; `None` if there is none.
    ///
    /// # Errors
    /// [`FolderError`] if one is configured and is not there.
    pub fn find_configured(keys: &MeaningKeys) -> Result<Option<KeptModel>, FolderError> {
        keys.model().map(|name| ModelFolder::of_user()?.find(name)).transpose()
    }

    /// Which model it is.
    #[must_use]
    pub fn kept_model(&self) -> &KeptModel {
        &self.kept
    }

    /// The instructions it uses, for people: `avx2`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.model.kernel().name()
    }
}

impl Meaning for LoadedModel {
    fn key(&self) -> &str {
        &self.kept.hash
    }

    fn query(&self, text: &str) -> Option<Vector> {
        self.model.query(text).ok().map(|vector| Vector::from_unit(&vector))
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.model.passage(text).ok().map(|vector| Vector::from_unit(&vector))
    }
}
