//! Path templates with parameters in braces, and the paths that they match.

/// Returns how many bytes of a template are literal text if it matches a path: the more, the better the match.
pub fn fit(template: &str, path: &str) -> Option<usize> {
    let (own, asked): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    if own.len() != asked.len() {
        return None;
    }
    own.iter().zip(&asked).map(|(own, asked)| fit_segment(own, asked)).sum()
}

/// Matches one segment. A segment may have several parameters, as in `{id}-{part}.json`. Each parameter takes as little
/// as possible, but at least one character.
fn fit_segment(own: &str, asked: &str) -> Option<usize> {
    let pieces = literals(own);
    let (first, others) = pieces.split_first()?;
    let Some((last, middle)) = others.split_last() else { return (own == asked).then_some(own.len()) };
    let mut rest = asked.strip_prefix(first)?.strip_suffix(last)?;
    for piece in middle {
        let parameter = rest.chars().next()?.len_utf8();
        let at = rest.get(parameter..)?.find(piece)?;
        rest = rest.get(parameter + at + piece.len()..)?;
    }
    (!rest.is_empty()).then(|| pieces.iter().map(|piece| piece.len()).sum())
}

/// Returns the literal text before, between and after the parameters.
fn literals(segment: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = segment;
    while let Some((before, (_, behind))) =
        rest.split_once('{').and_then(|(before, inside)| Some((before, inside.split_once('}')?)))
    {
        pieces.push(before);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn parameters_stand_for_something_in_one_segment() {
        let rows = [
            ("/pets", "/pets", Some(4)),
            ("/pets", "/pet", None),
            ("/pets/{id}", "/pets/7", Some(4)),
            ("/pets/{id}", "/pets/", None),
            ("/pets/{id}", "/pets/7/8", None),
            ("/pets/{id}.json", "/pets/7.json", Some(9)),
            ("/pets/{id}.json", "/pets/.json", None),
            ("/pets/{id}.json", "/pets/7", None),
            ("/{a}-{b}", "/x-y-z", Some(1)),
            ("/{a}-{b}", "/x-", None),
            ("/{a}-{b}", "/-x", None),
            ("/{a}{b}", "/éé", Some(0)),
            ("/{a}{b}", "/é", None),
            ("/aba{x}aba", "/aba", None),
            ("/a{", "/a{", Some(2)),
            ("/@{user}", "/@me", Some(1)),
        ];
        for (template, path, expected) in rows {
            assert_eq!(fit(template, path), expected, "{template} {path}");
        }
    }
}
