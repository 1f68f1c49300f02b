//! Paths to members: `response.data.user.id`, `users[].name.first`, `"a.b".c`.
//!
//! A segment is in double quotes if it has one of `. [ ] " \`, or white space around it. The only escapes there are
//! `\"` and `\\`. `[]` stands for each element of an array. It follows a segment, or starts the path for a root array.

use std::fmt;

/// A parsed path: the way to its record, then the names below the record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    scope: Vec<Step>,
    /// Never empty: a path ends with the name of a member, and never with `[]`.
    segments: Vec<String>,
}

/// A step from the root of the body towards a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Into the member with this name.
    Name(String),
    /// Into each element.
    Each,
}

/// Why a text is no path, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The character at which reading stopped, counted from 1.
    pub column: usize,
    /// What was found there.
    pub found: String,
    /// What was expected there.
    pub expected: &'static str,
}

impl Path {
    /// Reads a path. The error says which character is wrong.
    pub fn parse(text: &str) -> Result<Path, PathError> {
        let mut reader = Reader::new(text);
        let mut steps = Vec::new();
        reader.each_steps(&mut steps)?;
        if steps.is_empty() || reader.peek() == Some('.') {
            reader.dot_unless_first(&steps)?;
            reader.named_steps(&mut steps)?;
        }
        reader.end()?;
        split(steps).ok_or_else(|| reader.error("a member name after `[]`"))
    }

    /// Returns the path of a member by its name alone, whatever characters the name has.
    pub fn member(name: &str) -> Path {
        Path { scope: Vec::new(), segments: vec![name.to_owned()] }
    }

    /// Appends the name of a member to a path in text form, quoted if necessary.
    pub fn push_member(path: &mut String, name: &str) {
        path.reserve(name.len().saturating_add(1));
        // Writing to a `String` cannot fail.
        _ = write_segment(path, name, path.is_empty());
    }

    /// Returns the paths of the members that enclose this one, from the root down.
    pub fn enclosing(&self) -> Vec<Path> {
        let mut steps = Vec::new();
        let names = self.segments.iter().cloned().map(Step::Name);
        let mut found = Vec::new();
        for step in self.scope.iter().cloned().chain(names) {
            steps.push(step);
            found.extend(split(steps.clone()));
        }
        found.pop();
        found
    }

    /// Returns the steps up to and including the last `[]`; none if there is no `[]`.
    pub fn scope(&self) -> &[Step] {
        &self.scope
    }

    /// Returns the names after the last `[]`, at least one.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for step in &self.scope {
            match step {
                Step::Each => f.write_str("[]")?,
                Step::Name(name) => write_segment(f, name, first)?,
            }
            first = false;
        }
        for name in &self.segments {
            write_segment(f, name, first)?;
            first = false;
        }
        Ok(())
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PathError { column, found, expected } = self;
        write!(f, "column {column}: found {found}; expected {expected}")
    }
}

impl std::error::Error for PathError {}

/// Splits steps behind the last `[]`. Returns `None` if no name follows it.
fn split(mut steps: Vec<Step>) -> Option<Path> {
    let names = steps.iter().rev().take_while(|step| **step != Step::Each).count();
    let tail = steps.split_off(steps.len().saturating_sub(names));
    let segments: Vec<String> = tail
        .into_iter()
        .filter_map(|step| match step {
            Step::Name(name) => Some(name),
            Step::Each => None,
        })
        .collect();
    (!segments.is_empty()).then_some(Path { scope: steps, segments })
}

fn write_segment(f: &mut impl fmt::Write, name: &str, first: bool) -> fmt::Result {
    if !first {
        f.write_str(".")?;
    }
    if is_plain(name) {
        return f.write_str(name);
    }
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
    write!(f, "\"{escaped}\"")
}

/// Whether a name needs no quotes in a path.
fn is_plain(name: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_usual) {
        return true;
    }
    !name.is_empty() && name.trim() == name && !name.contains(is_special)
}

fn is_special(c: char) -> bool {
    matches!(c, '.' | '[' | ']' | '"' | '\\')
}

struct Reader<'a> {
    rest: std::str::Chars<'a>,
    column: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Reader { rest: text.chars(), column: 1 }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.column = self.column.saturating_add(1);
        Some(c)
    }

    fn error(&self, expected: &'static str) -> PathError {
        let found = match self.peek() {
            Some(c) => format!("`{c}`"),
            None => "the end of the path".to_owned(),
        };
        PathError { column: self.column, found, expected }
    }

    fn expect(&mut self, c: char, expected: &'static str) -> Result<(), PathError> {
        if self.peek() != Some(c) {
            return Err(self.error(expected));
        }
        self.take();
        Ok(())
    }

    fn end(&self) -> Result<(), PathError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("`.`, `[]` or the end of the path")),
        }
    }

    /// Reads the dot after a leading `[]`. A path that starts with a name has none.
    fn dot_unless_first(&mut self, steps: &[Step]) -> Result<(), PathError> {
        if steps.is_empty() {
            return Ok(());
        }
        self.expect('.', "`.`")
    }

    fn named_steps(&mut self, steps: &mut Vec<Step>) -> Result<(), PathError> {
        loop {
            steps.push(Step::Name(self.segment()?));
            self.each_steps(steps)?;
            if self.peek() != Some('.') {
                return Ok(());
            }
            self.take();
        }
    }

    fn each_steps(&mut self, steps: &mut Vec<Step>) -> Result<(), PathError> {
        while self.peek() == Some('[') {
            self.take();
            self.expect(']', "`]`: only `[]`, each element, is known")?;
            steps.push(Step::Each);
        }
        Ok(())
    }

    fn segment(&mut self) -> Result<String, PathError> {
        if self.peek() == Some('"') {
            return self.quoted();
        }
        let start = self.column;
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| !is_special(*c)) {
            name.push(c);
            self.take();
        }
        if name.is_empty() {
            return Err(self.error("a member name"));
        }
        if name.trim() != name {
            let found = format!("`{name}`");
            let expected = "no white space around a name, or the name in double quotes";
            return Err(PathError { column: start, found, expected });
        }
        Ok(name)
    }

    fn quoted(&mut self) -> Result<String, PathError> {
        self.take();
        let mut name = String::new();
        loop {
            match self.peek() {
                None => return Err(self.error("a closing `\"`")),
                Some('"') => break,
                Some('\\') => name.push(self.escape()?),
                Some(c) => {
                    name.push(c);
                    self.take();
                }
            }
        }
        self.take();
        Ok(name)
    }

    fn escape(&mut self) -> Result<char, PathError> {
        self.take();
        match self.peek() {
            Some(c @ ('"' | '\\')) => {
                self.take();
                Ok(c)
            }
            _ => Err(self.error("`\\\"` or `\\\\`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(path: &Path) -> String {
        let scope: Vec<String> = path
            .scope()
            .iter()
            .map(|step| match step {
                Step::Name(name) => name.clone(),
                Step::Each => "*".to_owned(),
            })
            .collect();
        format!("{}|{}", scope.join(","), path.segments().join(","))
    }

    #[test]
    fn paths_are_cut_behind_the_last_array() {
        let rows = [
            ("id", "|id"),
            ("response.data.user.id", "|response,data,user,id"),
            ("users[].name.first", "users,*|name,first"),
            ("[].id", "*|id"),
            ("[][].id", "*,*|id"),
            ("a[][].b[].c.d", "a,*,*,b,*|c,d"),
            (r#""a.b".c"#, "|a.b,c"),
            (r#"a."b\"c\\d""#, r#"|a,b"c\d"#),
            (r#""".a"#, "|,a"),
            (r#""users"[].id"#, "users,*|id"),
            ("first name.é", "|first name,é"),
            ("$ref.@type.x-y", "|$ref,@type,x-y"),
        ];
        for (text, expected) in rows {
            match Path::parse(text) {
                Ok(path) => assert_eq!(show(&path), expected, "{text}"),
                Err(error) => assert_eq!(error.to_string(), expected, "{text}"),
            }
        }
    }

    #[test]
    fn what_is_no_path_is_refused_with_its_column() {
        let rows = [
            ("", 1),
            (".a", 1),
            ("a.", 3),
            ("a..b", 3),
            ("a.b[]", 6),
            ("[]", 3),
            ("[]a", 3),
            ("[].", 4),
            ("a[0].b", 3),
            ("a[", 3),
            ("a[].[].b", 5),
            ("a]b", 2),
            ("a\"b", 2),
            (r#""a"#, 3),
            (r#""a\n""#, 4),
            (r#""a"b"#, 4),
            (" a", 1),
            ("a. b", 3),
            ("a.b ", 3),
            (r"a\b", 2),
        ];
        for (text, column) in rows {
            let found = Path::parse(text).err().map(|error| error.column);
            assert_eq!(found, Some(column), "{text:?}");
        }
    }

    #[test]
    fn an_error_says_what_was_found_and_expected() {
        let rows = [
            ("a..b", "column 3: found `.`; expected a member name"),
            ("a.b[]", "column 6: found the end of the path; expected a member name after `[]`"),
            ("a[0].b", "column 3: found `0`; expected `]`: only `[]`, each element, is known"),
        ];
        for (text, expected) in rows {
            let message = Path::parse(text).err().map(|error| error.to_string());
            assert_eq!(message.as_deref(), Some(expected));
        }
    }

    #[test]
    fn enclosing_members_stand_from_the_root_down() {
        let rows = [("a", ""), ("a.b.c", "a a.b"), ("[].a.b", "[].a"), ("a.b[].c.d", "a a.b a.b[].c")];
        for (text, expected) in rows {
            let paths = Path::parse(text).map(|path| path.enclosing()).unwrap_or_default();
            let printed: Vec<String> = paths.iter().map(Path::to_string).collect();
            assert_eq!(printed.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_path_prints_as_the_text_it_is_read_from() {
        let rows = ["a.b", "[].a", "a[][].b[].c", r#""a.b".c"#, r#""a\"\\"[].b"#, r#""".a"#, r#"" a""#];
        for text in rows {
            let printed = Path::parse(text).map(|path| path.to_string());
            assert_eq!(printed.as_deref(), Ok(text));
        }
    }
}
