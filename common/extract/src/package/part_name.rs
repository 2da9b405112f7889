//! Addresses inside a package.

/// Resolves `href` in the part `base` to a part name: percent signs decoded, `.` and `..` resolved, the fragment removed.
pub(super) fn resolve(base: &str, href: &str) -> String {
    let path = percent_decoded(href.split(['#', '?']).next().unwrap_or_default());
    let mut steps: Vec<&str> = match path.starts_with('/') {
        true => Vec::new(),
        false => base.rsplit_once('/').map_or(Vec::new(), |(dir, _)| dir.split('/').collect()),
    };
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let decoded = (first == b'%').then(|| tail.get(..2)).flatten();
        let decoded = decoded.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(decoded.unwrap_or(first));
        rest = if decoded.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_resolved_inside_the_package() {
        for (base, href, name) in [
            ("OEBPS/book.opf", "text/one.xhtml", "OEBPS/text/one.xhtml"),
            ("OEBPS/book.opf", "../two.xhtml#part", "two.xhtml"),
            ("book.opf", "./a%20b.xhtml?x", "a b.xhtml"),
            ("a/b/c.opf", "/d.xhtml", "d.xhtml"),
            ("a.opf", "../../../etc/passwd", "etc/passwd"),
            ("a.opf", "100%25%zz%", "100%%zz%"),
        ] {
            assert_eq!(resolve(base, href), name, "{base} {href}");
        }
    }
}
