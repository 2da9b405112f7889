//! The script of the README, run on one report after another by one Python process.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};

/// Reads the script, then the arguments of each run, a line each; answers with what the script stopped with, empty if with nothing.
const DRIVER: &str = r#"
import contextlib, io, json, sys
script = compile(json.loads(sys.stdin.readline()), "README.md", "exec")
for line in sys.stdin:
    sys.argv, said = ["verify.py", *json.loads(line)], ""
    try:
        with contextlib.redirect_stdout(io.StringIO()): exec(script, {"__name__": "__main__"})
    except SystemExit as end: said = "" if end.code in (None, 0) else str(end.code)
    except Exception as error: said = repr(error)
    print(json.dumps(said), flush=True)
"#;

/// Runs the script on a report and its archive. Where there is no Python, the check is skipped, said once.
///
/// # Errors
/// What the script stopped with.
pub(super) fn check(report: &Path, archive: &Path) -> Result<(), String> {
    static PYTHON: OnceLock<Option<Mutex<Python>>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| match Python::start() {
        Ok(python) => Some(Mutex::new(python)),
        Err(error) => {
            eprintln!("SKIPPED: python3 does not start ({error}): no report is proved by a program that is not ours");
            None
        }
    });
    let Some(python) = python else { return Ok(()) };
    let mut python = python.lock().unwrap_or_else(PoisonError::into_inner);
    match python.run(&json!([report, archive])) {
        Ok(said) if said.is_empty() => Ok(()),
        Ok(said) => Err(said),
        Err(error) => Err(format!("python3: {error}")),
    }
}

/// A Python process that has read the script. It ends when its input does, which is when this process ends.
#[derive(Debug)]
struct Python {
    _process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    fn start() -> io::Result<Self> {
        let mut command = Command::new("python3");
        command.args(["-B", "-c", DRIVER]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut python = Self { _process: process, input, output: BufReader::new(output) };
        python.write(&Value::from(script()))?;
        Ok(python)
    }

    fn write(&mut self, line: &Value) -> io::Result<()> {
        writeln!(self.input, "{line}")
    }

    fn run(&mut self, arguments: &Value) -> io::Result<String> {
        self.write(arguments)?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}

/// The one Python block of the README.
///
/// # Panics
/// Where there is none, or another one.
fn script() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).expect("a README");
    let mut blocks = readme.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next());
    let (Some(script), None) = (blocks.next(), blocks.next()) else { panic!("the README has one Python block") };
    script.to_owned()
}
