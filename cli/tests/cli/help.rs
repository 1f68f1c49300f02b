use crate::run::Dir;

const COMMANDS: [&str; 7] = ["heal", "match", "compare", "check", "contract", "schema", "completions"];

#[test]
fn every_command_teaches_by_example() {
    let dir = Dir::new("help");
    let all = dir.nomos(&["--help"]);
    assert_eq!(all.code, 0);
    for command in COMMANDS {
        assert!(all.stdout.contains(&format!("\n  {command} ")), "{command}: {}", all.stdout);
        let help = dir.nomos(&[command, "--help"]);
        let example = format!("\n  $ nomos {command}");
        assert!(help.code == 0 && help.stdout.contains(&example), "{command}: {}", help.stdout);
        // Help is wrapped to the terminal, examples included. Examples of at most 80 characters can be copied from any
        // terminal.
        let (_, examples) = help.stdout.split_once("\n  -h, --help").unwrap_or_default();
        let long: Vec<&str> = examples.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(long, [""; 0], "{command}");
    }
}

#[test]
fn every_shell_completes_every_command() {
    let dir = Dir::new("completions");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let output = dir.nomos(&["completions", shell]);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""));
        let missing: Vec<_> = COMMANDS.into_iter().filter(|command| !output.stdout.contains(command)).collect();
        assert_eq!(missing, [""; 0], "{shell}");
    }
    let output = dir.nomos(&["completions", "sh"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
}

#[test]
fn a_slip_is_answered_with_what_was_meant() {
    let output = Dir::new("slip").nomos(&["hael"]);
    assert!(output.code == 2 && output.stderr.contains("'heal'"), "{}", output.stderr);
}
