//! `precis fetch`: fetches URLs with the guarded client, one row each. With `--dry-run` nothing is requested; with `--no-resolve` as
//! well, no host name is looked up either, so nothing leaves this machine.

use std::io::{self, Read, Write};

use futures_util::{StreamExt, stream};
use precis_runtime::config::Settings;
use precis_runtime::fetch::resolver::verdict_resolved;
use precis_runtime::fetch::{Fetcher, UrlVerdict, verdict};
use serde_json::{Map, Value, json};

use super::settings::load_settings;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::{ConfigArgs, terminal};

/// URLs looked up or fetched concurrently.
const AT_ONCE: usize = 8;
/// Most bytes read from a list of URLs on standard input.
const MAX_LIST_BYTES: u64 = 64 << 20;

/// Arguments of `precis fetch`.
#[derive(Debug, clap::Args)]
pub struct FetchArgs {
    /// Show which pages would be fetched or refused, and why, without requesting them
    #[arg(long)]
    pub dry_run: bool,
    /// With --dry-run: check host names without looking them up
    #[arg(long, requires = "dry_run")]
    pub no_resolve: bool,
    /// Print one JSON object per URL
    #[arg(long)]
    pub json: bool,
    /// The pages; `-` reads one URL per line from standard input
    #[arg(required = true, value_name = "URL", value_hint = clap::ValueHint::Url)]
    pub urls: Vec<String>,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Prints a row for each URL, in order; [`Exit::Partial`] if a page was not fetched or, in a dry run, would not be.
#[must_use]
pub fn run(args: &FetchArgs) -> Exit {
    let settings = match load_settings(&args.config, Vec::new()) {
        Ok(loaded) => loaded.settings,
        Err(failure) => {
            terminal::print_failure(&failure);
            return failure.exit;
        }
    };
    if !args.dry_run {
        super::ignored_proxies().iter().for_each(|warning| terminal::print_warning(warning));
    }
    match print_pages(args, &settings) {
        Ok(true) => Exit::Ok,
        Ok(false) => Exit::Partial,
        // A closed pipe is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => {
            terminal::print_failure(&CommandFailure::new(Exit::Failed, "fetch_failed", format!("fetch: {error}")));
            Exit::Failed
        }
    }
}

fn print_pages(args: &FetchArgs, settings: &Settings) -> io::Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let urls = urls(&args.urls, io::stdin().lock(), MAX_LIST_BYTES)?;
    runtime.block_on(print_rows(args, settings, urls, &mut io::stdout().lock()))
}

/// Returns the URLs of the command line, with `-` replaced by the non-empty lines of `input`.
///
/// # Errors
/// `input` cannot be read, or has more than `limit` bytes.
fn urls(typed: &[String], mut input: impl Read, limit: u64) -> io::Result<Vec<String>> {
    let mut urls = Vec::new();
    for url in typed {
        if url != "-" {
            urls.push(url.clone());
            continue;
        }
        let mut bytes = Vec::new();
        // One byte more than the limit: a longer list must not lose its end unnoticed.
        input.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            let message = format!("the list of URLs must have at most {limit} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        urls.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Ok(urls)
}

/// Prints the rows; returns whether every page was fetched, or in a dry run would be.
async fn print_rows(
    args: &FetchArgs,
    settings: &Settings,
    urls: Vec<String>,
    output: &mut impl Write,
) -> io::Result<bool> {
    let policy = settings.fetch.policy().map_err(io::Error::other)?;
    let fetcher = match args.dry_run {
        true => None,
        false => Some(settings.fetch.client(settings.extraction.max_bytes).map_err(io::Error::other)?),
    };
    let proxy = settings.fetch.proxy();
    let (policy, fetcher, proxy) = (&policy, fetcher.as_ref(), proxy.as_ref());
    let row = |url: String| async move {
        match fetcher {
            Some(fetcher) => fetch_row(url, fetcher).await,
            None if args.no_resolve => verdict_row(url.clone(), verdict(&url, policy)),
            None => verdict_row(
                url.clone(),
                match proxy {
                    Some(proxy) => proxy.verdict(&url, policy).await,
                    None => verdict_resolved(&url, policy).await,
                },
            ),
        }
    };
    let mut rows = stream::iter(urls).map(row).buffered(AT_ONCE);
    let mut got_all = true;
    while let Some(row) = rows.next().await {
        got_all &= match fetcher {
            Some(_) => row.contains_key("bytes"),
            None => row.get("verdict").is_some_and(|verdict| verdict == "allow"),
        };
        writeln!(output, "{}", if args.json { ascii_json(row) } else { words(&row) })?;
    }
    output.flush()?;
    Ok(got_all)
}

type FetchRow = Map<String, Value>;

fn row(fields: Value) -> FetchRow {
    match fields {
        Value::Object(row) => row,
        _ => FetchRow::new(),
    }
}

fn verdict_row(url: String, verdict: UrlVerdict) -> FetchRow {
    let (word, reason) = match verdict {
        UrlVerdict::Allow => ("allow", None),
        UrlVerdict::Deny { reason } => ("deny", Some(reason.to_string())),
    };
    row(json!({ "url": url, "verdict": word, "reason": reason }))
}

async fn fetch_row(url: String, fetcher: &Fetcher) -> FetchRow {
    match fetcher.get(&url).await {
        Ok(page) => row(json!({
            "url": url, "verdict": "allow", "reason": null,
            "final_url": page.final_url, "content_type": page.content_type, "bytes": page.bytes.len(),
        })),
        Err(error) => {
            let word = if error.code == "fetch_refused" { "deny" } else { "allow" };
            row(json!({ "url": url, "verdict": word, "reason": error.to_string() }))
        }
    }
}

/// Returns JSON in ASCII on one line: some readers treat U+2028 and similar characters as line ends.
fn ascii_json(row: FetchRow) -> String {
    let mut ascii = String::new();
    for c in Value::Object(row).to_string().chars() {
        match c {
            ' '..='~' => ascii.push(c),
            _ => ascii.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
        }
    }
    ascii
}

fn words(row: &FetchRow) -> String {
    let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default();
    let line = match row.get("bytes") {
        Some(bytes) => format!("fetched  {}  {bytes} bytes of {}", text("url"), text("content_type")),
        None => format!("{:<5}  {}  {}", text("verdict"), text("url"), text("reason")),
    };
    // One row per page: a line break within a URL is a control character as well.
    terminal::printable(line.trim_end()).replace('\n', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(json: bool) -> FetchArgs {
        FetchArgs { dry_run: true, no_resolve: true, json, urls: vec!["-".to_owned()], config: ConfigArgs::default() }
    }

    async fn rows(args: &FetchArgs, lines: &str) -> String {
        rows_under(args, &Settings::default(), lines).await
    }

    async fn rows_under(args: &FetchArgs, settings: &Settings, lines: &str) -> String {
        let urls = urls(&args.urls, lines.as_bytes(), MAX_LIST_BYTES).expect("memory");
        let mut output = Vec::new();
        let got_all = print_rows(args, settings, urls, &mut output).await.expect("memory takes it");
        let text = String::from_utf8(output).expect("text");
        assert_eq!(got_all, !text.contains("deny"), "{text}");
        text
    }

    #[tokio::test]
    async fn every_line_that_is_not_empty_gets_one_row_in_order() {
        let lines = "https://example.com/\n\n http://127.0.0.1/\r\n\r\n \nhttp://a\u{2028}b/\n\u{1f600}";
        let output = rows(&args(true), lines).await;
        assert!(output.is_ascii());
        let rows: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let column = |key: &str| rows.iter().map(|row| row[key].as_str().unwrap_or("")).collect::<Vec<_>>();
        assert_eq!(column("verdict"), ["allow", "deny", "deny", "deny", "deny"]);
        let urls = ["https://example.com/", " http://127.0.0.1/", " ", "http://a\u{2028}b/", "\u{1f600}"];
        assert_eq!(column("url"), urls);
        assert!(column("reason")[1].starts_with("special_address: "), "{output}");
        assert!(rows.iter().all(|row| row.as_object().is_some_and(|row| row.len() == 3)));
    }

    #[tokio::test]
    async fn the_settings_decide_what_is_fetched() {
        let mut settings = Settings::default();
        settings.fetch.allow_hosts = vec![".example.org".to_owned()];
        settings.fetch.ports = vec![443];
        let lines = "https://a.example.org/\nhttp://a.example.org/\nhttps://example.com/";
        let output = rows_under(&args(false), &settings, lines).await;
        let verdicts: Vec<&str> = output.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(verdicts, ["allow", "deny", "deny"], "{output}");
    }

    #[tokio::test]
    async fn words_for_people_hold_no_control_characters() {
        let output = rows(&args(false), "http://localhost/\nhttp://a\u{1b}[2Jb/").await;
        assert!(output.starts_with("deny   http://localhost/  internal_host: "), "{output}");
        assert!(!output.contains('\u{1b}'));
        let line = words(&row(json!({ "url": "http://a/\u{202e}b\nc\td", "verdict": "deny", "reason": "no" })));
        assert_eq!(line, "deny   http://a/\u{fffd}b\u{fffd}c\u{fffd}d  no");
    }

    #[test]
    fn urls_of_the_command_line_and_of_standard_input_keep_their_order() {
        let typed = ["a", "-", "b", "-"].map(str::to_owned);
        assert_eq!(urls(&typed, &b"1\n2"[..], 3).expect("memory"), ["a", "1", "2", "b"]);
    }

    #[test]
    fn a_list_is_read_whole_or_refused() {
        let typed = ["-".to_owned()];
        for (list, want) in [("1\n2", true), ("1\n22", true), ("1\n222", false)] {
            let read = urls(&typed, list.as_bytes(), 4);
            assert_eq!(read.is_ok(), want, "{list}");
            if let Err(error) = read {
                assert_eq!(error.to_string(), "the list of URLs must have at most 4 bytes");
            }
        }
    }
}
