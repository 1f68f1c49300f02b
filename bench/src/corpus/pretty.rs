/// Formats compact JSON with one member per line, two spaces per level and a space after each colon, as most frameworks
/// do for pretty printing.
pub(super) fn print(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    for c in compact.chars() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                depth += 1;
                out.push(c);
                line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::print;

    #[test]
    fn white_space_goes_between_tokens_only() {
        let rows = [
            (r#"{"a":1,"b":[2]}"#, "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}"),
            (r#"{"a":"x,{\":\\"}"#, "{\n  \"a\": \"x,{\\\":\\\\\"\n}"),
        ];
        for (compact, pretty) in rows {
            assert_eq!(print(compact), pretty);
        }
    }
}
