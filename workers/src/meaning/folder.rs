//! The models of this user: `models` in the user's data directory, one file each, named by its SHA-256 and readable by its owner only;
//! and the one that is part of the program, if there is one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use precis_meaning::container::{DESCRIPTION_BYTES, describe};
use precis_proto::ids::sha256_hex;
use precis_runtime::config::user_data_dir;
use precis_runtime::files::{FileLimits, Links, open_regular, owner_only, private_dir, read_regular};

use super::built_in::{BuiltIn, built_in};
use super::kept::{KeptModel, ModelPlace};

const DIR: &str = "models";
const ENDING: &str = "model";
/// Largest file of a model.
const MAX_MODEL_BYTES: u64 = 1 << 30;

/// A model is not found, or the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The system refused, or others could change the models.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No model has that name or hash.
    #[error("there is no model `{0}` on this machine")]
    Unknown(String),
    /// Several models have that name.
    #[error("several models are called `{0}`: name one by its SHA-256")]
    Ambiguous(String),
    /// It cannot be removed.
    #[error("the model `{0}` is part of this program")]
    BuiltIn(String),
    /// A file no longer has the content that its name says.
    #[error("the file of the model `{0}` was changed after it was added")]
    Changed(String),
}

/// The models of this user.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    dir: PathBuf,
    built_in: Option<&'static BuiltIn>,
}

impl ModelFolder {
    /// In the user's data directory. Nothing is read or made yet.
    ///
    /// # Errors
    /// There is no home directory.
    pub fn of_user() -> io::Result<Self> {
        let variable = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
        let environment: BTreeMap<String, String> =
            ["HOME", "XDG_DATA_HOME"].into_iter().filter_map(variable).collect();
        Ok(Self { built_in: built_in(), ..Self::below(&user_data_dir(&environment)?) })
    }

    /// In a data directory.
    fn below(data: &Path) -> Self {
        Self { dir: data.join(DIR), built_in: None }
    }

    /// All models, by name and then by hash. Files that are no models are left out.
    ///
    /// # Errors
    /// The folder exists and cannot be read, or others can write to it.
    pub fn list(&self) -> Result<Vec<KeptModel>, FolderError> {
        let mut models = self.added()?;
        if let Some(BuiltIn { model, .. }) = self.built_in {
            // Added as well, it is still one model.
            models.retain(|added| added.hash != model.hash);
            models.push(model.clone());
        }
        models.sort_by(|a, b| (&a.description.name, &a.hash).cmp(&(&b.description.name, &b.hash)));
        Ok(models)
    }

    fn added(&self) -> Result<Vec<KeptModel>, FolderError> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        owner_only(&self.dir).map_err(io::Error::other)?;
        let mut models = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let hash = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| stem.len() == 64);
            let (Some(hash), true) = (hash, path.extension().is_some_and(|ending| ending == ENDING)) else { continue };
            models.extend(self.read_model(hash));
        }
        Ok(models)
    }

    fn read_model(&self, hash: &str) -> Option<KeptModel> {
        let file = open_regular(&self.path(hash), Links::OnTheWay).ok()?;
        let bytes = file.metadata().ok()?.len();
        let mut start = Vec::new();
        file.take(DESCRIPTION_BYTES as u64).read_to_end(&mut start).ok()?;
        let description = describe(&start).ok()?;
        Some(KeptModel { hash: hash.to_owned(), description, bytes, place: ModelPlace::Folder })
    }

    /// The model of that name or hash.
    ///
    /// # Errors
    /// [`FolderError::Unknown`], [`FolderError::Ambiguous`]; as [`Self::list`].
    pub fn find(&self, name: &str) -> Result<KeptModel, FolderError> {
        let mut found: Vec<KeptModel> =
            self.list()?.into_iter().filter(|model| model.hash == name || model.description.name == name).collect();
        match (found.pop(), found.is_empty()) {
            (Some(model), true) => Ok(model),
            (Some(_), false) => Err(FolderError::Ambiguous(name.to_owned())),
            (None, _) => Err(FolderError::Unknown(name.to_owned())),
        }
    }

    /// Keeps the file of a model; one that is there already stays as it is.
    ///
    /// # Errors
    /// The folder cannot be written to, or others could.
    pub fn add(&self, file: &[u8]) -> Result<KeptModel, FolderError> {
        private_dir(&self.dir).map_err(io::Error::other)?;
        let hash = sha256_hex(file);
        // Written beside its place and then moved there: whoever reads sees a whole file or none.
        let mut written = tempfile::NamedTempFile::new_in(&self.dir)?;
        written.as_file().set_permissions(fs::Permissions::from_mode(0o600))?;
        written.write_all(file)?;
        written.as_file().sync_all()?;
        written.persist(self.path(&hash)).map_err(|error| error.error)?;
        let kept = self.read_model(&hash);
        kept.ok_or_else(|| FolderError::Io(io::Error::other("the file that was written cannot be read")))
    }

    /// Removes a model.
    ///
    /// # Errors
    /// As [`Self::find`]; [`FolderError::BuiltIn`]; the file cannot be removed.
    pub fn remove(&self, name: &str) -> Result<KeptModel, FolderError> {
        let model = self.find(name)?;
        if model.place == ModelPlace::Program {
            return Err(FolderError::BuiltIn(model.description.name));
        }
        fs::remove_file(self.path(&model.hash))?;
        Ok(model)
    }

    /// The file of a model, which has the hash that its name says.
    ///
    /// # Errors
    /// [`FolderError::Changed`] if it has not; the file cannot be read, or others can write to it.
    pub fn read(&self, model: &KeptModel) -> Result<Cow<'static, [u8]>, FolderError> {
        if let (ModelPlace::Program, Some(built_in)) = (model.place, self.built_in) {
            return Ok(Cow::Borrowed(built_in.file));
        }
        let path = self.path(&model.hash);
        owner_only(&path).map_err(io::Error::other)?;
        let bytes =
            read_regular(&path, Links::OnTheWay, FileLimits::bytes(MAX_MODEL_BYTES)).map_err(io::Error::from)?;
        if sha256_hex(&bytes) != model.hash {
            return Err(FolderError::Changed(model.description.name.clone()));
        }
        Ok(Cow::Owned(bytes))
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.dir.join(hash).with_extension(ENDING)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use precis_meaning::container::MAGIC;

    use super::*;

    /// The start of a file: what a list needs.
    fn file(name: &str, rest: &str) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        for label in [name, "MIT", "", ""] {
            file.extend((label.len() as u32).to_le_bytes());
            file.extend(label.as_bytes());
        }
        [file, rest.as_bytes().to_vec()].concat()
    }

    #[test]
    fn added_models_are_found_by_name_and_hash_until_removed() {
        let data = tempfile::tempdir().expect("a directory");
        let folder = ModelFolder::below(data.path());
        assert!(folder.list().expect("nothing").is_empty());
        let model = folder.add(&file("small", "1")).expect("added");
        assert_eq!(folder.add(&file("small", "1")).expect("again"), model);
        assert_eq!(folder.list().expect("one"), std::slice::from_ref(&model));
        assert_eq!(
            (folder.find("small").ok(), folder.find(&model.hash).ok()),
            (Some(model.clone()), Some(model.clone()))
        );
        assert_eq!(fs::metadata(folder.path(&model.hash)).expect("a file").mode() & 0o777, 0o600);
        assert_eq!(folder.read(&model).expect("whole"), file("small", "1"));
        folder.remove("small").expect("removed");
        assert!(matches!(folder.find("small"), Err(FolderError::Unknown(_))));
    }

    #[test]
    fn two_of_one_name_are_distinguished_by_hash_alone() {
        let data = tempfile::tempdir().expect("a directory");
        let folder = ModelFolder::below(data.path());
        let first = folder.add(&file("small", "1")).expect("added");
        folder.add(&file("small", "2")).expect("added");
        assert!(matches!(folder.find("small"), Err(FolderError::Ambiguous(_))));
        assert_eq!(folder.find(&first.hash).expect("by hash"), first);
    }

    #[test]
    fn a_model_of_the_program_is_listed_and_read_and_stays() {
        let data = tempfile::tempdir().expect("a directory");
        let bytes: &'static [u8] = file("whole", "1").leak();
        let built_in: &'static BuiltIn = Box::leak(Box::new(BuiltIn::new(bytes).expect("a model")));
        let folder = ModelFolder { built_in: Some(built_in), ..ModelFolder::below(data.path()) };
        let model = folder.find("whole").expect("built in");
        assert_eq!((model.place, model.bytes), (ModelPlace::Program, bytes.len() as u64));
        assert_eq!(folder.read(&model).expect("its file"), bytes);
        assert!(matches!(folder.remove("whole"), Err(FolderError::BuiltIn(_))));
        // Added as well it is one model, and another of that name makes two.
        folder.add(bytes).expect("added");
        assert_eq!(folder.list().expect("one"), std::slice::from_ref(&model));
        folder.add(&file("whole", "2")).expect("added");
        assert!(matches!(folder.find("whole"), Err(FolderError::Ambiguous(_))));
        assert_eq!(folder.find(&model.hash).expect("by hash"), model);
    }

    #[test]
    fn a_file_that_was_changed_is_not_read() {
        let data = tempfile::tempdir().expect("a directory");
        let folder = ModelFolder::below(data.path());
        let model = folder.add(&file("small", "1")).expect("added");
        fs::write(folder.path(&model.hash), file("small", "2")).expect("changed");
        assert!(matches!(folder.read(&model), Err(FolderError::Changed(_))));
    }
}
