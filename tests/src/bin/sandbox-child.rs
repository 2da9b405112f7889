//! A child that does on request what a hostile document might make a parser do.
//!
//! The first argument chooses a whole behaviour (`mute`, `absent`, `parent`, `parse`, `room`, `crowd`); with any other it serves, and a
//! request's header says what to do with its body.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use precis_runtime::sandbox::{Sandbox, SandboxCapacity, SandboxSettings, serve};

fn main() -> std::io::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("absent") => std::process::exit(2),
        Some("mute") => mute(),
        Some("room") => {
            let room = SandboxCapacity::here(None, None);
            println!("{} {}", room.children, room.memory_bytes);
            Ok(())
        }
        Some("crowd") => crowd(),
        Some("parse") => precis_workers::documents::parse::serve_child(),
        Some("parent") => parent(std::env::args().nth(2).unwrap_or_default()),
        _ => serve(act),
    }
}

static SERVED: AtomicUsize = AtomicUsize::new(0);

fn act(header: &[u8], body: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let served_before = SERVED.fetch_add(1, Ordering::Relaxed);
    match header {
        b"abort" => std::process::abort(),
        b"panic" => panic!("the secret words of a document"),
        b"exit" => std::process::exit(3),
        b"loop" => spin(),
        b"recurse" => return (vec![], vec![u8::from(recurse(0, body) > 0)]),
        b"eat" => return (vec![], vec![1; 8 << 30]),
        b"fill" => return (fill().to_string().into_bytes(), vec![]),
        b"swell" => std::mem::forget(vec![1_u8; 96 << 20]),
        b"flood" => flood(&mut std::io::stdout(), usize::MAX),
        b"shout" => flood(&mut std::io::stderr(), 4 << 20),
        b"double" => return (vec![], body.repeat(2)),
        b"die if used" if served_before > 0 => std::process::abort(),
        b"look" => return (look().into_bytes(), vec![]),
        b"socket" => drop(std::net::UdpSocket::bind("127.0.0.1:0")),
        b"thread" => drop(std::thread::Builder::new().spawn(|| ())),
        b"command" => drop(std::process::Command::new("/bin/true").status()),
        b"signal" => drop(rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM)),
        b"limit of itself" => drop(rustix::process::getrlimit(rustix::process::Resource::Nofile)),
        b"call" => return (call(body).into_bytes(), vec![]),
        b"limit of another" => return (limit_of(body).into_bytes(), vec![]),
        _ => {}
    }
    (std::process::id().to_string().into_bytes(), body.to_vec())
}

/// Takes memory until there is no more, holds it for a second, and tells how many MiB there were.
fn fill() -> usize {
    let mut held: Vec<Vec<u8>> = Vec::new();
    loop {
        let mut piece = Vec::new();
        if piece.try_reserve_exact(1 << 20).is_err() {
            break;
        }
        piece.resize(1 << 20, 1_u8);
        held.push(piece);
    }
    let full = std::time::Instant::now();
    while full.elapsed() < std::time::Duration::from_secs(1) {
        std::hint::spin_loop();
    }
    std::hint::black_box(&held).len()
}

/// Has as many children as this machine has room for, which all fill their memory at once; tells how many MiB each had.
fn crowd() -> std::io::Result<()> {
    let room = SandboxCapacity::here(None, None);
    let settings =
        SandboxSettings { children: room.children, memory_bytes: room.memory_bytes, ..SandboxSettings::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sandbox = Sandbox::new(settings);
    let filled = runtime.block_on(futures_util::future::join_all(
        (0..room.children).map(|_| sandbox.run(b"fill".to_vec(), Bytes::new())),
    ));
    for answer in filled {
        println!("{}", String::from_utf8_lossy(&answer.map_err(std::io::Error::other)?.0));
    }
    Ok(())
}

fn spin() -> ! {
    loop {
        std::hint::spin_loop();
    }
}

fn recurse(depth: u64, body: &[u8]) -> u64 {
    let local = std::hint::black_box([depth; 64]);
    if depth == u64::MAX { local[0] } else { recurse(depth + 1, body) + local[body.len() % 64] }
}

fn flood(stream: &mut impl Write, mut bytes: usize) {
    while bytes > 0 {
        let _ = stream.write_all(&[b'x'; 1 << 10]);
        bytes = bytes.saturating_sub(1 << 10);
    }
}

/// What this process can see without dying of it, a word for each.
fn look() -> String {
    let file = std::fs::read("/etc/passwd").is_ok();
    let named = std::fs::metadata("/etc/passwd").is_ok();
    let variables = std::env::vars_os().count();
    format!("file={file} named={named} variables={variables}")
}

/// Asks for a limit of the process whose number is in `body`.
fn limit_of(body: &[u8]) -> String {
    let pid = std::str::from_utf8(body).ok().and_then(|text| rustix::process::Pid::from_raw(text.parse().ok()?));
    let limit = rustix::process::Rlimit { current: Some(1), maximum: Some(1) };
    format!("{:?}", rustix::process::prlimit(pid, rustix::process::Resource::Nofile, limit).is_ok())
}

/// Makes the system call whose number is in `body` with zeros for arguments; tells what the kernel answered.
#[allow(unsafe_code, reason = "a call that no library would make is what is tried")]
fn call(body: &[u8]) -> String {
    let number: i64 = std::str::from_utf8(body).ok().and_then(|text| text.parse().ok()).unwrap_or(-1);
    // SAFETY: none is possible in general. The process is a child of a test that expects it to end, and answers nobody else.
    let result = unsafe { libc::syscall(number, 0_usize, 0_usize, 0_usize, 0_usize, 0_usize, 0_usize) };
    match result {
        -1 => format!("errno {}", std::io::Error::last_os_error().raw_os_error().unwrap_or_default()),
        _ => "done".to_owned(),
    }
}

/// Says that it is ready, then never reads a byte.
fn mute() -> std::io::Result<()> {
    let mut ready = Vec::from(*b"PRC1");
    ready.extend([0, 0, 0, 5]);
    ready.extend([0; 8]);
    ready.extend(b"ready");
    let mut output = std::io::stdout();
    output.write_all(&ready)?;
    output.flush()?;
    loop {
        std::thread::park();
    }
}

/// Has a child of its own that loops, until somebody kills it.
fn parent(mark: String) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sandbox = Arc::new(Sandbox::new(SandboxSettings { args: vec![mark], ..SandboxSettings::default() }));
    let answer = runtime.block_on(async move { sandbox.run(b"loop".to_vec(), Bytes::new()).await });
    answer.map(drop).map_err(std::io::Error::other)
}
