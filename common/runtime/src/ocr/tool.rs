//! Which recognition program runs, how it is called, and what it calls itself.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::OcrError;

/// The program whose arguments are known.
const TESSERACT: &str = "tesseract";
/// Resolution of the pictures, in dots an inch: what tesseract's authors recommend.
pub const DOTS_PER_INCH: u32 = 300;
/// Longest name of an engine, in characters.
const NAME_CHARS: usize = 60;
/// Hexadecimal digits of the hash that tells versions of an unknown program apart.
const HASH_DIGITS: usize = 8;

/// A recognition program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OcrTool {
    /// Its path.
    pub(super) program: PathBuf,
    /// The languages it should expect, in its own words, such as `deu+eng`.
    languages: Option<String>,
    /// The executable that has the hidden subcommand; our own if `None`.
    pub(super) helper: Option<PathBuf>,
}

/// What recognized a text: part of the key of whatever is made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecognitionEngine {
    /// Its name and version: `tesseract 5.3.0`; of an unknown program its name and part of its hash.
    pub name: String,
    /// The languages it was told to expect.
    pub languages: Option<String>,
}

impl OcrTool {
    /// Finds `program`: a path, or a name that is looked up in `path` as a shell would.
    ///
    /// # Errors
    /// [`OcrError::Missing`].
    pub fn find(program: &str, languages: Option<&str>, path: Option<&OsStr>) -> Result<Self, OcrError> {
        let missing = |reason: &str| OcrError::Missing { program: program.to_owned(), reason: reason.to_owned() };
        let found = match program.contains('/') {
            true => Some(PathBuf::from(program)),
            false => path.and_then(|path| {
                std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
            }),
        };
        let found = found.ok_or_else(|| missing("it is not in PATH"))?;
        // The profile opens this file and no other of its folder: a link would lead out of it.
        let program = found.canonicalize().map_err(|e| missing(&e.to_string()))?;
        if !program.is_file() {
            return Err(missing("it is not a file"));
        }
        Ok(Self { program, languages: languages.map(str::to_owned), helper: None })
    }

    /// The same tool, started by the executable `helper`, which must call [`become_tool`](super::become_tool): for programs that are not
    /// this one, such as tests.
    #[must_use]
    pub fn with_helper(self, helper: PathBuf) -> Self {
        Self { helper: Some(helper), ..self }
    }

    fn is_tesseract(&self) -> bool {
        self.program.file_name() == Some(OsStr::new(TESSERACT))
    }

    /// The arguments for one page: the picture comes on standard input, its text goes to standard output.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        if self.is_tesseract() {
            let dots = DOTS_PER_INCH.to_string();
            arguments.extend(["stdin", "stdout", "--dpi", dots.as_str()].map(OsString::from));
            if self.languages.is_some() {
                arguments.push("-l".into());
            }
        }
        arguments.extend(self.languages.as_deref().map(OsString::from));
        arguments
    }

    /// The arguments that make it print its version; `None` for an unknown program.
    pub(super) fn version_arguments(&self) -> Option<Vec<OsString>> {
        self.is_tesseract().then(|| vec!["--version".into()])
    }

    /// The engine, from what it printed about its version.
    pub(super) fn engine(&self, printed: Option<&str>) -> Result<RecognitionEngine, OcrError> {
        let named = printed.and_then(|printed| printed.lines().map(clean).find(|line| !line.is_empty()));
        let name = match named {
            Some(name) => name,
            None => name_and_hash(&self.program)?,
        };
        Ok(RecognitionEngine { name, languages: self.languages.clone() })
    }
}

impl RecognitionEngine {
    /// Returns what tells it from other engines, for keys of caches.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {}", self.name, self.languages.as_deref().unwrap_or_default())
    }
}

/// The characters of names and versions: what a program prints about itself is shown in reports.
fn clean(line: &str) -> String {
    let fine = line.trim().chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-' | '+'));
    fine.take(NAME_CHARS).collect::<String>().trim().to_owned()
}

#[expect(clippy::disallowed_methods, reason = "once per process, and only where recognition is configured")]
fn name_and_hash(program: &Path) -> Result<String, OcrError> {
    let bytes = std::fs::read(program)
        .map_err(|e| OcrError::Missing { program: program.display().to_string(), reason: e.to_string() })?;
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let name = clean(&program.file_name().unwrap_or_default().to_string_lossy());
    Ok(format!("{name} {}", &hash[..HASH_DIGITS]).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, languages: Option<&str>) -> (tempfile::TempDir, OcrTool) {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::write(dir.path().join(name), "#!/bin/sh\n").expect("written");
        let tool = OcrTool::find(name, languages, Some(dir.path().as_os_str())).expect("found");
        (dir, tool)
    }

    #[test]
    fn tesseract_gets_its_arguments_and_any_other_program_the_languages_alone() {
        for (name, languages, expected) in [
            ("tesseract", None, &["stdin", "stdout", "--dpi", "300"][..]),
            ("tesseract", Some("deu+eng"), &["stdin", "stdout", "--dpi", "300", "-l", "deu+eng"]),
            ("my-reader", None, &[]),
            ("my-reader", Some("deu"), &["deu"]),
        ] {
            let (_dir, tool) = tool(name, languages);
            assert_eq!(tool.arguments(), expected, "{name} {languages:?}");
        }
    }

    #[test]
    fn an_engine_is_named_by_its_version_or_by_its_bytes() {
        let (_dir, tesseract) = tool("tesseract", Some("deu"));
        let engine = tesseract.engine(Some("\ntesseract 5.3.0<b>\n leptonica-1.82.0\n")).expect("named");
        assert_eq!((engine.name.as_str(), engine.key().as_str()), ("tesseract 5.3.0b", "tesseract 5.3.0b deu"));
        let (_dir, other) = tool("my-reader", None);
        let engine = other.engine(None).expect("named");
        assert_eq!(engine.name, "my-reader a8076d3d", "part of the hash of its bytes");
    }

    #[test]
    fn a_program_that_is_not_there_is_said() {
        for program in ["no-such-reader", "/no/such/reader"] {
            let error = OcrTool::find(program, None, Some(OsStr::new("/usr/bin"))).expect_err("missing");
            assert!(matches!(&error, OcrError::Missing { program: named, .. } if named == program), "{error}");
            assert!(error.is_of_every_page());
        }
    }
}
