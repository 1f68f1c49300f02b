//! A program that runs beside us, writes to a file, and ends with us, however we end.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Ends the program when standard input closes.
const KEEPER: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ cat <&3 >/dev/null; kill "$program" 2>/dev/null; } &
watch=$!
exec 3<&-
wait "$program"
code=$?
kill "$watch" 2>/dev/null
exit "$code"
"#;

/// How long a program may take to end.
const END_LIMIT: Duration = Duration::from_secs(5);

/// A running program.
pub struct Kept {
    keeper: Child,
    log: PathBuf,
}

impl Kept {
    /// Starts it; what it writes goes to the file `log`.
    pub fn start(program: &Path, arguments: &[String], log: PathBuf) -> io::Result<Self> {
        let file = File::create(&log)?;
        let keeper = Command::new("/bin/sh")
            .args(["-c", KEEPER, "keeper"])
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()?;
        Ok(Self { keeper, log })
    }

    /// All that it has written.
    pub fn log(&self) -> String {
        fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Waits until `ready` is true. What it wrote last, where it ends before that or the time is up.
    pub fn wait_until(&mut self, within: Duration, mut ready: impl FnMut(&Self) -> bool) -> Result<(), String> {
        let deadline = Instant::now() + within;
        while Instant::now() < deadline {
            if ready(self) {
                return Ok(());
            }
            if !matches!(self.keeper.try_wait(), Ok(None)) {
                return Err(self.last_words());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("not ready within {} s: {}", within.as_secs(), self.last_words()))
    }

    fn last_words(&self) -> String {
        self.log().lines().last().unwrap_or("it said nothing").to_owned()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let deadline = Instant::now() + END_LIMIT;
        while matches!(self.keeper.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
