//! Our side: the picture in, the bounded text out, and the end of the tool.
//!
//! The tool asks the kernel to end it with the *thread* that started it, and it is one process. So a thread of its own has the whole
//! conversation, and ends the tool when the time is over, when it prints too much, and when nobody waits for the answer any more.

use std::ffi::OsString;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::error::OcrError;
use super::limits::OcrLimits;
use super::profile::{HELPER_COMMAND, MODELS_VARIABLE, NOT_STARTED, UNCONFINED, arguments};
use super::tool::{OcrTool, RecognitionEngine};

/// Most bytes kept of what the tool says about a failure.
const ERROR_BYTES: usize = 4 << 10;
/// Longest part of it that is reported, in characters.
const SAID_CHARS: usize = 200;
/// Longest time to say a version. Chosen for a machine under heavy load.
const VERSION_TIME: Duration = Duration::from_secs(20);
/// Longest wait for the end of a tool that has closed its output.
const END: Duration = Duration::from_secs(2);

/// Returns the text that `tool` recognizes in `picture`, the bytes of an image file, exactly as it prints it; invalid UTF-8 is replaced.
/// The text is as untrusted as the picture.
///
/// # Errors
/// [`OcrError`]; after one that [is of every page](OcrError::is_of_every_page) no other page need be tried.
pub async fn recognize(tool: &OcrTool, picture: Bytes, limits: &OcrLimits) -> Result<String, OcrError> {
    let printed = conversation(tool, tool.arguments(), picture, *limits).await?;
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

/// Returns the engine that `tool` is: it is asked for its version, in the same profile.
///
/// # Errors
/// [`OcrError`].
pub async fn version(tool: &OcrTool, limits: &OcrLimits) -> Result<RecognitionEngine, OcrError> {
    let Some(arguments) = tool.version_arguments() else {
        return tool.engine(None);
    };
    let limits = OcrLimits { page_time: VERSION_TIME, ..*limits };
    let printed = conversation(tool, arguments, Bytes::new(), limits).await?;
    tool.engine(Some(&String::from_utf8_lossy(&printed)))
}

async fn conversation(
    tool: &OcrTool,
    tool_arguments: Vec<OsString>,
    picture: Bytes,
    limits: OcrLimits,
) -> Result<Vec<u8>, OcrError> {
    let tool = tool.clone();
    let (mut answer, answered) = oneshot::channel();
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            // Dropping the conversation ends the tool.
            let said = tokio::select! {
                said = run(&tool, tool_arguments, picture, &limits) => said,
                () = answer.closed() => return,
            };
            let _ = answer.send(said);
        });
    };
    let gone = || OcrError::Failed("no thread could be started for it".to_owned());
    std::thread::Builder::new().name("ocr".to_owned()).spawn(work).map_err(|_| gone())?;
    answered.await.map_err(|_| gone())?
}

async fn run(
    tool: &OcrTool,
    tool_arguments: Vec<OsString>,
    picture: Bytes,
    limits: &OcrLimits,
) -> Result<Vec<u8>, OcrError> {
    let missing = |reason: String| OcrError::Missing { program: tool.program.display().to_string(), reason };
    let mut command = confined_command(tool, tool_arguments, limits).map_err(|e| missing(e.to_string()))?;
    let mut child = command.spawn().map_err(|e| missing(e.to_string()))?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(OcrError::Failed("it has no standard streams".to_owned()));
    };
    let (mut text, mut said) = (Vec::new(), Vec::new());
    let whole = {
        // All at once: a tool that fills its output before it has read its input would otherwise wait for ever. The end of the feed is
        // not waited for: the tool may answer, or end, without reading the whole picture.
        let feed = async move {
            let _ = stdin.write_all(&picture).await;
            drop(stdin);
            std::future::pending::<()>().await;
        };
        let read = async { tokio::join!(read_within(stdout, &mut text, limits.page_bytes), drain(stderr, &mut said)) };
        let talk = async {
            tokio::select! {
                (whole, ()) = read => whole,
                () = feed => true,
            }
        };
        timeout(limits.page_time, talk).await.map_err(|_| OcrError::TimedOut { limit: limits.page_time })?
    };
    if !whole {
        return Err(OcrError::TooMuch { limit: limits.page_bytes });
    }
    // Bounded once more: a tool may close its output and go on.
    let status = timeout(END, child.wait()).await;
    let Ok(Ok(status)) = status else {
        return Err(OcrError::Failed("it closed its output without exiting".to_owned()));
    };
    match status.code() {
        Some(0) => Ok(text),
        Some(UNCONFINED) => Err(OcrError::Unconfined { missing: first_line(&said) }),
        Some(NOT_STARTED) => Err(missing(first_line(&said))),
        _ => Err(OcrError::Failed(format!("{status}: {}", first_line(&said)))),
    }
}

/// The command that starts `tool` in its profile, with pipes for its standard streams.
fn confined_command(tool: &OcrTool, tool_arguments: Vec<OsString>, limits: &OcrLimits) -> io::Result<Command> {
    let helper = match &tool.helper {
        Some(helper) => helper.clone(),
        None => std::env::current_exe()?,
    };
    let mut command = Command::new(helper);
    command.arg(HELPER_COMMAND).args(arguments(limits)).arg(&tool.program).args(tool_arguments);
    // Without our environment, which holds every key.
    command.env_clear().current_dir("/");
    if let Some(models) = std::env::var_os(MODELS_VARIABLE) {
        command.env(MODELS_VARIABLE, models);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    Ok(command)
}

/// Reads to the end of `stream`; returns false, at once, if that is more than `limit` bytes.
async fn read_within(mut stream: impl AsyncRead + Unpin, text: &mut Vec<u8>, limit: usize) -> bool {
    let mut room = vec![0; 16 << 10];
    // A read error counts as the end of the stream.
    while let Ok(count @ 1..) = stream.read(&mut room).await {
        if text.len() + count > limit {
            return false;
        }
        text.extend_from_slice(&room[..count]);
    }
    true
}

/// Reads to the end of `stream`, so that the tool never blocks on it, and keeps its beginning.
async fn drain(mut stream: impl AsyncRead + Unpin, said: &mut Vec<u8>) {
    let mut room = vec![0; 1 << 10];
    while let Ok(count @ 1..) = stream.read(&mut room).await {
        let free = ERROR_BYTES - said.len();
        said.extend_from_slice(&room[..count.min(free)]);
    }
}

/// Returns the first line that is not blank, without control characters.
fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(SAID_CHARS).collect()
}
