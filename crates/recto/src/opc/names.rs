//! Part names and the targets of relationships (ECMA-376 part 2, clauses 6.2.2 and 6.4).
//!
//! A name is kept as the zip spells it; parts are found by the [`key`] of a name, under which all spellings that
//! Office takes for one are equal.

use std::borrow::Cow;

/// Name of the part that lists content types.
pub const CONTENT_TYPES: &str = "[Content_Types].xml";

/// Name of the part with the relationships of the package itself.
pub const PACKAGE_RELATIONSHIPS: &str = "_rels/.rels";

/// What two spellings of one part name have in common: without leading slashes, backslashes as slashes, percent-encoded
/// characters decoded, ASCII letters in lower case.
///
/// ```
/// use recto::opc::names::key;
/// assert_eq!(key("/xl/SharedStrings.xml"), key("xl\\sharedStrings.xml"));
/// assert_eq!(key("word/media/image%201.png"), "word/media/image 1.png");
/// ```
pub fn key(name: &str) -> String {
    look_up_key(name).into_owned()
}

/// The [`key`] of a name, which it mostly is itself.
pub(crate) fn look_up_key(name: &str) -> Cow<'_, str> {
    let name = name.trim_start_matches(['/', '\\']);
    if !name.bytes().any(|byte| byte.is_ascii_uppercase() || byte == b'%' || byte == b'\\') {
        return name.into();
    }
    let mut key = decode_percent(name);
    if key.contains('\\') {
        key = key.replace('\\', "/");
    }
    key.make_ascii_lowercase();
    key.into()
}

/// Whether two spellings name the same part.
pub fn equal(a: &str, b: &str) -> bool {
    a == b || look_up_key(a) == look_up_key(b)
}

/// Decodes `%20` and the like; encoded slashes stay, and so does everything if the result is not UTF-8.
fn decode_percent(name: &str) -> String {
    if !name.contains('%') {
        return name.to_owned();
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.first_chunk::<2>().filter(|_| byte == b'%').and_then(|digits| hex(*digits));
        match code.filter(|code| !b"/\\".contains(code)) {
            Some(code) => {
                bytes.push(code);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

fn hex(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

/// The part that an internal relationship leads to: its name without a leading slash.
///
/// `source` is the name of the part that has the relationship, empty for the package. None where the target cannot be a part:
/// it is empty, or has a scheme.
///
/// ```
/// use recto::opc::names::resolve;
/// assert_eq!(resolve("xl/worksheets/sheet1.xml", "../media/image1.png").as_deref(), Some("xl/media/image1.png"));
/// assert_eq!(resolve("xl/workbook.xml", "/xl/tables/table1.xml").as_deref(), Some("xl/tables/table1.xml"));
/// assert_eq!(resolve("xl/workbook.xml", "mailto:one@"), None);
/// ```
pub fn resolve(source: &str, target: &str) -> Option<String> {
    let path = target.split('#').next().unwrap_or_default().replace('\\', "/");
    let source = source.trim_start_matches(['/', '\\']).replace('\\', "/");
    if path.is_empty() {
        // A bare fragment is a place in the source itself.
        return (!target.is_empty() && !source.is_empty()).then_some(source);
    }
    if has_scheme(&path) {
        return None;
    }
    let folder = if path.starts_with('/') { "" } else { source.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let mut segments = Vec::new();
    for segment in folder.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    (!segments.is_empty()).then(|| segments.join("/"))
}

fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// The target that leads from the part `source` (empty for the package) to the part `part`: the inverse of [`resolve`]. None if
/// there is none, since the name has segments or characters that names of parts cannot have.
///
/// ```
/// use recto::opc::names::target;
/// assert_eq!(target("xl/worksheets/sheet1.xml", "xl/media/image1.png").as_deref(), Some("../media/image1.png"));
/// assert_eq!(target("", "xl/workbook.xml").as_deref(), Some("xl/workbook.xml"));
/// assert_eq!(target("", "a/../b.xml"), None);
/// ```
pub fn target(source: &str, part: &str) -> Option<String> {
    let source = source.trim_start_matches(['/', '\\']).replace('\\', "/");
    let name = part.trim_start_matches(['/', '\\']).replace('\\', "/");
    let mut here = source.split('/').collect::<Vec<_>>();
    here.pop();
    let mut there = name.split('/').collect::<Vec<_>>();
    let file = there.pop()?;
    let shared = here.iter().zip(&there).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let up = here.iter().skip(shared).map(|_| "..");
    let target = up.chain(there.into_iter().skip(shared)).chain([file]).collect::<Vec<_>>().join("/");
    // A first segment with a colon would be taken for a scheme.
    let target = if has_scheme(&target) { format!("/{name}") } else { target };
    equal(&resolve(&source, &target)?, &name).then_some(target)
}

/// Name of the part that has the relationships of `part`; of the package if that is empty.
///
/// ```
/// use recto::opc::names::relationships_of;
/// assert_eq!(relationships_of("word/document.xml"), "word/_rels/document.xml.rels");
/// assert_eq!(relationships_of(""), "_rels/.rels");
/// ```
pub fn relationships_of(part: &str) -> String {
    match part.rfind(['/', '\\']).and_then(|at| part.split_at_checked(at + 1)) {
        Some((folder, file)) => [folder, "_rels/", file, ".rels"].concat(),
        None => ["_rels/", part, ".rels"].concat(),
    }
}

/// The part whose relationships a part has, going by its name: the inverse of [`relationships_of`]. Empty for the package, none
/// if it is no such name.
pub fn source_of(relationships: &str) -> Option<String> {
    let name = relationships.trim_start_matches(['/', '\\']);
    if !name.get(name.len().checked_sub(5)?..)?.eq_ignore_ascii_case(".rels") {
        return None;
    }
    let name = name.replace('\\', "/");
    let (folder, file) = name.rsplit_once('/')?;
    let (parent, last) = folder.rsplit_once('/').unwrap_or(("", folder));
    let (stem, suffix) = file.split_at_checked(file.len().checked_sub(5)?)?;
    if !last.eq_ignore_ascii_case("_rels") || !suffix.eq_ignore_ascii_case(".rels") {
        return None;
    }
    Some(if parent.is_empty() { stem.to_owned() } else { format!("{parent}/{stem}") })
}

/// What follows the last dot of a name's last segment.
pub fn extension(name: &str) -> Option<&str> {
    let file = name.rsplit(['/', '\\']).next()?;
    file.rsplit_once('.').map(|(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p30_names_compare_without_case() {
        assert!(equal("xl/SharedStrings.xml", "/xl/sharedStrings.xml"));
        assert!(equal("xl\\workbook.xml", "xl/workbook.xml"));
        assert!(!equal("xl/a.xml", "xl/b.xml"));
    }

    #[test]
    fn percent_encoding_is_no_difference() {
        assert_eq!(key("a%C3%B6"), "aö");
        assert_eq!(key("a%2Fb%5c%zz%"), "a%2fb%5c%zz%");
        assert_eq!(key("a%ff"), "a%ff");
    }

    #[test]
    fn p29_targets_resolve() {
        let from = "xl/worksheets/sheet1.xml";
        assert_eq!(resolve(from, "../tables/table1.xml").as_deref(), Some("xl/tables/table1.xml"));
        assert_eq!(resolve(from, "/xl/tables/table1.xml").as_deref(), Some("xl/tables/table1.xml"));
        assert_eq!(resolve(from, "./a.xml").as_deref(), Some("xl/worksheets/a.xml"));
        assert_eq!(resolve(from, "..\\a.xml").as_deref(), Some("xl/a.xml"));
        assert_eq!(resolve(from, "../../../../a.xml").as_deref(), Some("a.xml"));
        assert_eq!(resolve(from, "a.xml#Sheet1!A1").as_deref(), Some("xl/worksheets/a.xml"));
        assert_eq!(resolve(from, "#Sheet1!A1").as_deref(), Some(from));
        assert_eq!(resolve("", "xl//workbook.xml").as_deref(), Some("xl/workbook.xml"));
    }

    #[test]
    fn targets_lead_back() {
        let parts = ["a.xml", "word/document.xml", "word/media/image1.png", "xl/worksheets/sheet1.xml", "word/a:b.xml"];
        for part in parts {
            for source in parts.into_iter().chain([""]) {
                let target = target(source, part).and_then(|target| resolve(source, &target));
                assert_eq!(target.as_deref(), Some(part), "{source}");
            }
        }
        for part in ["", "word/", "a#b", "./a", "a//b"] {
            assert_eq!(target("word/document.xml", part), None, "{part}");
        }
    }

    #[test]
    fn p32_p34_targets_that_are_no_part() {
        assert_eq!(resolve("word/document.xml", ""), None);
        assert_eq!(resolve("", "#a"), None);
        assert_eq!(resolve("word/document.xml", "file:///C:/a"), None);
        assert_eq!(resolve("word/document.xml", "../NULL").as_deref(), Some("NULL"));
        assert_eq!(resolve("word/document.xml", ".."), None);
    }

    #[test]
    fn relationships_names_go_both_ways() {
        for part in ["", "a.xml", "word/document.xml", "word/.x"] {
            assert_eq!(source_of(&relationships_of(part)).as_deref(), Some(part));
        }
        assert_eq!(source_of("WORD\\_Rels\\document.xml.RELS").as_deref(), Some("WORD/document.xml"));
        assert_eq!(source_of("word/document.xml"), None);
        assert_eq!(source_of("word/document.xml.rels"), None);
        assert_eq!(source_of("_rels/é"), None);
    }

    #[test]
    fn extensions() {
        assert_eq!(extension("word/media/image1.PNG"), Some("PNG"));
        assert_eq!(extension("a.b/c"), None);
        assert_eq!(extension("_rels/.rels"), Some("rels"));
    }
}
