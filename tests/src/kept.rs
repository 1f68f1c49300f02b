//! A child process that writes to a file, and ends with this process in any case.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Ends the program when standard input closes. `$0` is its log. The shell prints only the program's process id.
const KEEPER: &str = r#"
exec 3<&0
"$@" </dev/null >"$0" 2>&1 3<&- &
program=$!
echo "$program"
{ cat <&3 >/dev/null; kill "$program" 2>/dev/null; } &
watch=$!
exec 3<&-
wait "$program"
code=$?
kill "$watch" 2>/dev/null
exit "$code"
"#;

/// The time limit for a program to end.
const END_LIMIT: Duration = Duration::from_secs(10);

/// A running program.
pub struct Kept {
    keeper: Child,
    log: PathBuf,
    pid: u32,
}

impl Kept {
    /// Starts it with its output in the file `log`, an absolute path.
    pub fn start(program: &Command, log: PathBuf) -> io::Result<Self> {
        let mut keeper = Command::new("/bin/sh");
        keeper.args(["-c", KEEPER]).arg(&log).arg(program.get_program()).args(program.get_args());
        keeper.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(directory) = program.get_current_dir() {
            keeper.current_dir(directory);
        }
        let mut keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut line = String::new();
        if let Some(output) = keeper.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let pid = line.trim().parse().map_err(|_| io::Error::other("its process id is not known"))?;
        Ok(Self { keeper, log, pid })
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns all of its output.
    pub fn log(&self) -> String {
        fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Waits until `ready` is true. Fails with its last output if it ends before that or the time is up.
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

    /// Ends it, and waits for its end.
    pub fn stop(&mut self) {
        drop(self.keeper.stdin.take());
        let deadline = Instant::now() + END_LIMIT;
        while matches!(self.keeper.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }

    fn last_words(&self) -> String {
        self.log().lines().last().unwrap_or("it said nothing").to_owned()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.stop();
    }
}
