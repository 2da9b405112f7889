//! Turns the layers into settings: finds the files, merges, checks and resolves.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::config_value::{ConfigValue, Provenance, dotted_key, parts};
use super::error::{ConfigError, Problem};
use super::files_in_force::{self, ConfigFile, IgnoredFile};
use super::keys::{self, KnownKeys};
use super::sources::{Sources, home, user_dir};
use super::{Settings, layers};

/// The settings, and where they came from.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedSettings {
    /// The settings.
    pub settings: Settings,
    /// Dotted keys that were set, with the layer that won.
    pub origins: BTreeMap<String, Provenance>,
    /// The files that were read; later ones win.
    pub files: Vec<ConfigFile>,
    /// A `./precis.toml` that was not used, and why.
    pub ignored: Option<IgnoredFile>,
    /// Remarks for the user that are not errors: one line each.
    pub remarks: Vec<String>,
}

impl LoadedSettings {
    /// Returns the layer that set the dotted `key`.
    #[must_use]
    pub fn origin(&self, key: &str) -> Provenance {
        self.origins.get(key).cloned().unwrap_or(Provenance::Default)
    }

    /// Returns the files in force on one line: their paths, then the ignored file with the reason.
    #[must_use]
    pub fn files_line(&self) -> String {
        let read = match self.files.as_slice() {
            [] => "no configuration file".to_owned(),
            files => {
                let named: Vec<String> = files.iter().map(ToString::to_string).collect();
                format!("configuration file: {}", named.join(", then "))
            }
        };
        match &self.ignored {
            Some(ignored) => format!("{read}; {ignored}"),
            None => read,
        }
    }
}

/// Reads, merges and checks all layers.
///
/// # Errors
/// [`ConfigError`] lists every problem found, so that all can be fixed at once.
pub fn load(sources: &Sources) -> Result<LoadedSettings, ConfigError> {
    let keys = KnownKeys::new();
    let found = files_in_force::find(sources).map_err(|problem| ConfigError(vec![problem]))?;
    let mut from_files = Vec::new();
    for file in &found.read {
        from_files.extend(found.read_values(file, &keys).map_err(|problem| ConfigError(vec![problem]))?);
    }
    let (from_environment, mut remarks) = layers::environment(&sources.environment, &keys);
    remarks.extend(found.ignored.iter().map(ToString::to_string));
    let from_flags = sources.flags.iter().map(|(name, key, text)| layers::flag(name, key, text, &keys));

    let given = from_files.into_iter().chain(from_environment).chain(from_flags.map(Ok));
    let (merged, origins) = merge(given, &keys)?;
    let settings = resolve(merged, &origins, &sources.environment)?;
    let files = found.read.into_iter().map(|file| file.file).collect();
    Ok(LoadedSettings { settings, origins, files, ignored: found.ignored, remarks })
}

type MergedLayers = (toml::Table, BTreeMap<String, Provenance>);

fn merge(
    given: impl Iterator<Item = Result<ConfigValue, Problem>>,
    keys: &KnownKeys,
) -> Result<MergedLayers, ConfigError> {
    let (mut table, mut origins, mut problems) = (toml::Table::new(), BTreeMap::new(), Vec::new());
    for given in given {
        match given.and_then(|given| check(&given, keys).map(|()| given)) {
            Ok(given) => {
                origins.insert(given.key(), given.from.clone());
                insert(&mut table, &given.path, given.value);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok((table, origins)) } else { Err(ConfigError(problems)) }
}

fn check(given: &ConfigValue, keys: &KnownKeys) -> Result<(), Problem> {
    let schema = keys.find(&given.path).map_err(|suggestion| Problem::Unknown {
        key: given.key(),
        from: given.from.clone(),
        suggestion,
    })?;
    if keys::fits(schema, &given.value) {
        return Ok(());
    }
    // An address may contain a password, so it is not repeated.
    let found = (!keys::is_address(schema)).then(|| given.value.to_string());
    Err(Problem::Value { key: given.key(), from: given.from.clone(), found, expected: keys::expectation(schema) })
}

fn insert(table: &mut toml::Table, path: &[String], value: toml::Value) {
    match path {
        [key] => {
            table.insert(key.clone(), value);
        }
        [key, rest @ ..] => {
            let inner = table.entry(key.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
        [] => {}
    }
}

fn resolve(
    merged: toml::Table,
    origins: &BTreeMap<String, Provenance>,
    environment: &BTreeMap<String, String>,
) -> Result<Settings, ConfigError> {
    let whole = |error: toml::de::Error| Problem::Value {
        key: "settings".to_owned(),
        from: Provenance::Default,
        found: None,
        expected: error.message().to_owned(),
    };
    let mut settings: Settings = merged.try_into().map_err(|e| ConfigError(vec![whole(e)]))?;
    let mut faults: Vec<Problem> = Vec::new();
    for (key, expected) in settings.faults() {
        let fault = fault(&key, expected, origins);
        // A flag may set several keys; its problem is reported only once.
        if !faults.iter().any(|known| known.to_string() == fault.to_string()) {
            faults.push(fault);
        }
    }
    if !faults.is_empty() {
        return Err(ConfigError(faults));
    }
    let under_home = |path: PathBuf| match (path.strip_prefix("~"), home(environment)) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    };
    let default_cache = user_dir(environment, "XDG_CACHE_HOME", ".cache").map(|dir| dir.join("precis"));
    settings.cache.dir = settings.cache.dir.map(under_home).or(default_cache);
    settings.archive.dir = settings.archive.dir.map(under_home);
    Ok(settings)
}

/// Builds the problem for `key`, attributed to the layer that set it or, if none did, to a layer that set another key of its table.
fn fault(key: &str, expected: String, origins: &BTreeMap<String, Provenance>) -> Problem {
    let key = dotted_key(&parts(key));
    let table = origins.range(key.clone()..).find(|(k, _)| k.starts_with(&key));
    let sibling = || {
        let stem = key.rsplit_once('.').map_or(key.as_str(), |(stem, _)| stem);
        origins.iter().find(|(k, _)| k.starts_with(stem))
    };
    let from = table.or_else(sibling).map_or(Provenance::Default, |(_, from)| from.clone());
    Problem::Value { key, from, found: None, expected }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use precis_proto::digest::DigestPolicy;

    use super::*;
    use crate::config::{SAMPLE, harmless_sample, reference_markdown, show};

    /// Loads `toml` as a file, `env` and `flags` above it.
    fn load_all(toml: &str, env: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<LoadedSettings, String> {
        let keys = KnownKeys::new();
        let environment = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let file = layers::file(Path::new("precis.toml"), toml, &keys).map_err(|p| p.to_string())?;
        let (from_env, remarks) = layers::environment(&environment, &keys);
        let from_flags = flags.iter().map(|(key, text)| Ok(layers::flag("--set", key, text, &keys)));
        let given = file.into_iter().map(Ok).chain(from_env).chain(from_flags);
        let (merged, origins) = merge(given, &keys).map_err(|e| e.to_string())?;
        let settings = resolve(merged, &origins, &environment).map_err(|e| e.to_string())?;
        Ok(LoadedSettings { settings, origins, files: Vec::new(), ignored: None, remarks })
    }

    #[test]
    fn a_flag_beats_the_environment_beats_the_file_beats_the_default() {
        let file = "digest_policy = 'always'\n";
        let env = [("PRECIS_DIGEST_POLICY", "off")];
        let flags = [("digest_policy", "auto")];
        let policy = |l: &LoadedSettings| (l.settings.digest.policy, l.origin("digest_policy").to_string());
        let l = |t, e, f| policy(&load_all(t, e, f).expect("valid"));
        assert_eq!(l("", &[], &[]), (DigestPolicy::Auto, "default".to_owned()));
        assert_eq!(l(file, &[], &[]), (DigestPolicy::Always, "precis.toml line 1".to_owned()));
        let from_env = "environment variable PRECIS_DIGEST_POLICY".to_owned();
        assert_eq!(l(file, &env, &[]), (DigestPolicy::Off, from_env));
        assert_eq!(l(file, &env, &flags), (DigestPolicy::Auto, "flag --set".to_owned()));
    }

    #[test]
    fn each_fault_is_one_line_with_key_origin_and_remedy() {
        for (toml, message) in [
            (
                "\ndigest_polcy = 'off'",
                "unknown key `digest_polcy` in precis.toml line 2; did you mean `digest_policy`?",
            ),
            ("zzz = 1", "unknown key `zzz` in precis.toml line 1; `precis config show` lists the known keys"),
            (
                "token_safety_margin = 1.5",
                "`token_safety_margin` in precis.toml line 1 is 1.5: expected a number from 0 to 0.9",
            ),
            ("html = 'all'", "`html` in precis.toml line 1 is \"all\": expected one of main, full"),
            (
                "[providers.fast]\nbase_uri = 'http://x/v1'",
                "unknown key `providers.fast.base_uri` in precis.toml line 2; did you mean `providers.fast.base_url`?",
            ),
            (
                "amqp_url = 'http://u:secret@h'",
                "`amqp_url` in precis.toml line 1 is wrong: expected an address that starts with amqp:// or amqps://",
            ),
            (
                "[providers.fast]\n",
                "`providers.fast.base_url` in precis.toml line 1 is wrong: expected an address that starts with http:// or https://",
            ),
            (
                "[roles.synthesys]\nproviders = []",
                "`roles.synthesys` in precis.toml line 2 is wrong: expected a role: research, supervision, summarization, compression, synthesis, evaluation",
            ),
            (
                "[roles.embedding]\nproviders = ['openai:v']\ndimensions = 8\n[meaning]\nmodel = 'e5-small'",
                "`roles.embedding` in precis.toml line 3 is wrong: expected no entry while `meaning.model` names a model",
            ),
            (
                "[roles.embedding]\nproviders = ['openai:v']\ndimensions = 8193",
                "`roles.embedding.dimensions` in precis.toml line 3 is 8193: expected a whole number from 1 to 8192",
            ),
            ("x = = 1", "precis.toml line 1 is not valid TOML"),
            ("html = 'main'\nhtml = 'full'", "precis.toml line 2 is not valid TOML: duplicate key"),
        ] {
            let found = load_all(toml, &[], &[]).expect_err(toml);
            assert!(found.starts_with(message), "{toml:?}\n  {found}\n  {message}");
            assert_eq!(found.lines().count(), 1, "{found}");
            assert!(!found.contains("secret"), "{found}");
        }
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let found = load_all("html = 1\nfollow_links = 2", &[("PRECIS_LOG", "no such level!")], &[("x", "1")]);
        assert_eq!(found.expect_err("faults").lines().count(), 3);
    }

    #[test]
    fn a_model_must_be_one_we_can_reach() {
        for (entry, usable) in
            [("openai:gpt-4.1", true), ("ollama:qwen3:4b", true), ("local:extractive", true), ("fast:a", true)]
                .into_iter()
                .chain([("local:other", false), ("nobody:x", false), ("gpt-4.1", false), ("openai:", false)])
        {
            let toml = "[providers.fast]\nbase_url = 'http://localhost:1/v1'";
            let loaded = load_all(toml, &[], &[("roles.synthesis.providers", entry)]);
            assert_eq!(loaded.is_ok(), usable, "{entry}: {loaded:?}");
        }
    }

    #[test]
    fn a_fault_of_a_multi_key_flag_is_reported_once() {
        let flags = [("roles.synthesis.providers", "nobody:x"), ("roles.research.providers", "nobody:x")];
        let found = load_all("", &[], &flags).expect_err("an unknown model");
        assert!(found.starts_with("flag --set is wrong: expected NAME:MODEL") && found.lines().count() == 1, "{found}");
    }

    #[test]
    fn the_environment_sets_plain_keys_and_a_near_miss_is_remarked_on() {
        let env = [
            ("PRECIS_SUMMARIZATION_PROVIDERS", "ollama:a, ollama:b"),
            ("PRECIS_RUNTIME_OVERHEAD", "40_000"),
            ("PRECIS_HTML", ""),
            ("PRECIS_REPORT_TOKEN", "300"),
            ("PRECIS_QQQQQQQQ", "1"),
            ("HOME", "/home/ada"),
        ];
        let l = load_all("cache_dir = '~/kept'", &env, &[]).expect("valid");
        assert_eq!(l.settings.summarization.providers, ["ollama:a", "ollama:b"]);
        assert_eq!(l.settings.tokens.runtime_overhead, 40_000);
        assert_eq!(l.settings.cache.dir, Some(PathBuf::from("/home/ada/kept")));
        assert_eq!(
            l.remarks,
            ["PRECIS_REPORT_TOKEN is not a setting and has no effect; did you mean PRECIS_REPORT_TOKENS?"]
        );
        let table = load_all("", &[("PRECIS_ROLES", "x")], &[]).expect_err("a table");
        assert!(table.contains("set it in precis.toml"), "{table}");
    }

    #[test]
    fn the_cache_is_in_the_users_cache_directory_if_there_is_one() {
        let dir = |env: &[(&str, &str)]| load_all("", env, &[]).expect("valid").settings.cache.dir;
        assert_eq!(dir(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]), Some(PathBuf::from("/c/precis")));
        assert_eq!(dir(&[("XDG_CACHE_HOME", "not/absolute"), ("HOME", "/h")]), Some(PathBuf::from("/h/.cache/precis")));
        assert_eq!(dir(&[]), None);
    }

    /// Every option of token budgets, summaries and the archive, as the specification writes them.
    const SPECIFIED: &str = r#"token_management_enabled = true
token_safety_margin = 0.15
runtime_overhead = 60000
model_context_overrides = { "gemini:flash" = { context_window = 1000000, output_reserved = 8192 } }
summarization_provider = "[cli]gemini:flash"
summarization_providers = [
    "[cli]gemini:flash",
    "[cli]claude:haiku",
    "[cli]gemini:pro",
]
summarization_timeout = 120.0
summarization_cache_enabled = true
allow_content_dropping = true
content_archive_enabled = false
content_archive_ttl_hours = 72  # 3 days
research_archive_dir = "./specs/.research_archive"
"#;

    #[test]
    fn the_options_of_the_specification_are_ours_word_for_word() {
        let l = load_all(SPECIFIED, &[], &[]).expect("valid");
        let s = &l.settings;
        let defaults = Settings::default();
        assert_eq!(s.tokens, defaults.tokens);
        assert_eq!(s.summarization.timeout_seconds.to_bits(), defaults.summarization.timeout_seconds.to_bits());
        assert!(s.summarization.cache_enabled && defaults.summarization.cache_enabled);
        let chain = ["[cli]gemini:flash", "[cli]claude:haiku", "[cli]gemini:pro"];
        for role in [precis_proto::task::Role::Summarization, precis_proto::task::Role::Compression] {
            assert_eq!(s.chain(role), chain);
        }
        let known = &s.models.model_context_overrides["gemini:flash"];
        assert_eq!((known.context_window, known.output_reserved), (Some(1_000_000), Some(8_192)));
        assert_eq!((s.archive.enabled, s.archive.ttl_hours), (false, 72));
        assert_eq!(s.archive.dir, Some(PathBuf::from("./specs/.research_archive")));
        for (key, line) in
            [("summarization_provider", 5), ("summarization_providers", 6), ("content_archive_ttl_hours", 15)]
        {
            assert_eq!(l.origin(key).to_string(), format!("precis.toml line {line}"));
        }
    }

    #[test]
    fn an_option_of_the_specification_out_of_its_range_is_refused() {
        for (line, told) in [
            (
                "summarization_timeout = 0",
                "`summarization_timeout` in precis.toml line 1 is 0: expected a number from 1",
            ),
            (
                "content_archive_ttl_hours = 0",
                "`content_archive_ttl_hours` in precis.toml line 1 is 0: expected a whole",
            ),
            ("runtime_overhead = -1", "`runtime_overhead` in precis.toml line 1 is -1: expected a whole number"),
            (
                "token_safety_margin = 1",
                "`token_safety_margin` in precis.toml line 1 is 1: expected a number from 0 to 0.9",
            ),
        ] {
            let found = load_all(line, &[], &[]).expect_err(line);
            assert!(found.starts_with(told), "{found}");
        }
    }

    #[test]
    fn the_printed_sample_changes_nothing_until_uncommented() {
        let printed = harmless_sample();
        let l = load_all(&printed, &[], &[]).expect("is valid");
        assert!(show(&l).into_iter().all(|shown| shown.from == Provenance::Default));
        let unmarked =
            |line: &str| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line).to_owned();
        let lines: Vec<String> = printed.lines().skip(3).map(unmarked).collect();
        assert_eq!(lines.join("\n") + "\n", SAMPLE);
    }

    #[test]
    fn the_sample_is_valid_and_shows_each_value_with_its_line() {
        let l = load_all(SAMPLE, &[], &[]).expect("the sample is valid");
        let given = show(&l).into_iter().filter(|s| s.from != Provenance::Default).count();
        assert_eq!(given, SAMPLE.lines().filter(|line| line.contains(" = ") && !line.starts_with('#')).count());
        assert!(SAMPLE.lines().filter_map(|l| l.split_once(" = ")).all(|(k, _)| reference_markdown().contains(k)));
    }
}
