//! An nginx that serves one file from memory of the system, as fast as it can.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::process::{Running, free_address};

const PROGRAM: &str = "/usr/sbin/nginx";
/// Name of the file.
const FILE: &str = "result";
/// Longest wait for it, and time between two looks.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);

/// An nginx that serves one file; ends with the value.
#[derive(Debug)]
pub struct Nginx {
    /// Where it listens.
    pub address: SocketAddr,
    process: Running,
}

impl Nginx {
    /// Starts one in `dir`; `None`, said aloud, where it is not installed.
    ///
    /// # Errors
    /// If it does not start.
    pub async fn start(dir: &Path, file: &[u8]) -> Result<Option<Self>, String> {
        if Command::new(PROGRAM).arg("-v").output().is_err() {
            eprintln!("SKIPPED: nginx is not installed ({PROGRAM} is missing); results are compared with nothing");
            return Ok(None);
        }
        let (address, place) = (free_address()?, dir.display());
        let settings = format!(
            "worker_processes auto;\ndaemon off;\npid {place}/pid;\nerror_log {place}/error;\nevents {{}}\nhttp {{ access_log off; \
             sendfile on; keepalive_requests 1000000; client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; \
             fastcgi_temp_path {place}/fastcgi; uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi; \
             server {{ listen {address}; root {place}; default_type application/json; }} }}\n"
        );
        let write = |name: &str, bytes: &[u8]| std::fs::write(dir.join(name), bytes).map_err(|e| e.to_string());
        write("nginx.conf", settings.as_bytes())?;
        write(FILE, file)?;
        // Its workers may be another user.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(dir, open).map_err(|e| e.to_string())?;
        let mut command = Command::new(PROGRAM);
        command.arg("-c").arg(dir.join("nginx.conf")).arg("-p").arg(dir);
        let (process, begun) = (Running::start(command)?, Instant::now());
        while std::net::TcpStream::connect(address).is_err() {
            if begun.elapsed() > PATIENCE {
                return Err(format!("nginx does not listen; see {place}/error"));
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(Some(Self { address, process }))
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/{FILE}")
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its workers would outlive a master that is killed.
        self.process.terminate();
    }
}
