//! Gets URLs and prints the responses. Serves as the health check in images that contain nothing else, and as the
//! client of the Docker Compose demo, which shows a response before and after healing and keeps the dashboard moving.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time;

const USAGE: &str = "\
Gets each URL and prints its status and body.

Usage: http-get [--quiet] [--every SECONDS] URL...

  --quiet          print problems only
  --every SECONDS  afterwards go on, one URL after each pause, and print nothing more

Exit codes: 0 each status was 200, 1 another status or no answer, 2 bad usage. URLs are like http://HOST:PORT/PATH.
";

/// The time limit for connecting and the whole response: a health check must end before the next one starts.
const PATIENCE: Duration = Duration::from_secs(5);

const BAD_USAGE: u8 = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = match Args::parse(std::env::args().skip(1)) {
        Ok(args) if args.help => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Ok(args) => args,
        Err(error) => {
            eprintln!("http-get: {error}");
            return ExitCode::from(BAD_USAGE);
        }
    };
    let all_well = round(&args.urls, args.quiet).await;
    if let Some(pause) = args.every {
        repeat(&args.urls, pause).await;
    }
    if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Debug, Default, PartialEq)]
struct Args {
    urls: Vec<Uri>,
    quiet: bool,
    every: Option<Duration>,
    help: bool,
}

impl Args {
    fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Args, String> {
        let mut args = Args::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quiet" => args.quiet = true,
                "--every" => args.every = Some(seconds(&arguments.next().unwrap_or_default())?),
                "--help" | "-h" => args.help = true,
                text => args.urls.push(url(text)?),
            }
        }
        if args.urls.is_empty() && !args.help {
            return Err("found no URL; expected at least one, see --help".to_owned());
        }
        Ok(args)
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("--every: found `{text}`; expected a number of seconds, such as 0.5"))
}

fn url(text: &str) -> Result<Uri, String> {
    let parsed = text.parse::<Uri>().ok().filter(|uri| uri.scheme_str() == Some("http") && uri.host().is_some());
    parsed.ok_or_else(|| format!("found `{text}`; expected a URL like http://127.0.0.1:8080/path"))
}

/// Requests each URL. Returns whether all responses had status 200.
async fn round(urls: &[Uri], quiet: bool) -> bool {
    let mut all_well = true;
    for url in urls {
        match get(url).await {
            Ok((status, body)) => {
                let well = status == StatusCode::OK;
                all_well &= well;
                if !quiet || !well {
                    print_answer(url, status, &body);
                }
            }
            Err(error) => {
                all_well = false;
                eprintln!("http-get: {url}: {error}");
            }
        }
    }
    all_well
}

/// Requests the URLs for ever. Failures are ignored, because server and proxy may restart meanwhile.
async fn repeat(urls: &[Uri], pause: Duration) {
    loop {
        for url in urls {
            let _ = get(url).await;
            time::sleep(pause).await;
        }
    }
}

fn print_answer(url: &Uri, status: StatusCode, body: &[u8]) {
    let mut out = std::io::stdout().lock();
    // If stdout is closed, nobody wants the output.
    let _ = writeln!(out, "GET {url}: {status}");
    let _ = out.write_all(body);
    let _ = writeln!(out);
}

async fn get(url: &Uri) -> Result<(StatusCode, Bytes), String> {
    match time::timeout(PATIENCE, exchange(url)).await {
        Ok(answer) => answer,
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

async fn exchange(url: &Uri) -> Result<(StatusCode, Bytes), String> {
    let host = url.host().unwrap_or_default();
    let port = url.port_u16().unwrap_or(80);
    // An IPv6 address has brackets in a URL, but not elsewhere.
    let stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await.map_err(|e| e.to_string())?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|e| e.to_string())?;
    let target = url.path_and_query().map_or("/", |target| target.as_str());
    let request = Request::get(target)
        .header("host", url.authority().map_or(host, |authority| authority.as_str()))
        .header("connection", "close")
        .body(Empty::<Bytes>::new())
        .map_err(|e| e.to_string())?;
    let driver = tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(|e| e.to_string())?;
    let status = response.status();
    let body = response.into_body().collect().await.map_err(|e| e.to_string())?.to_bytes();
    driver.abort();
    Ok((status, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args, String> {
        Args::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_and_urls_are_read_in_any_order() {
        let args = parse("http://a:1/x --every 0.5 --quiet http://[::1]:2").expect("good");
        assert_eq!(args.urls.iter().map(Uri::to_string).collect::<Vec<_>>(), ["http://a:1/x", "http://[::1]:2/"]);
        assert_eq!((args.quiet, args.every), (true, Some(Duration::from_millis(500))));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let rows = [
            ("", "found no URL"),
            ("--every", "--every: found ``"),
            ("--every -1 http://a", "--every: found `-1`"),
            ("https://a/", "found `https://a/`"),
            ("a:80", "found `a:80`"),
        ];
        for (line, expected) in rows {
            let error = parse(line).expect_err(line);
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }
}
