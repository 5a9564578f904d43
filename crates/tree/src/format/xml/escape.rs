//! References such as `&amp;` and `&#228;`, read and written.

use std::io::{self, Write};

/// What the reference `&name;` stands for: the five that XML knows, and numbers.
pub(super) fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// The message for a reference that stands for nothing.
pub(super) fn unknown_entity(name: &str) -> String {
    format!("`&{name};` is unknown; write the character itself or its number as in `&#228;`")
}

/// Appends `raw` to `out` with its references resolved, or tells which one cannot be.
pub(crate) fn unescape_into(raw: &str, out: &mut String) -> std::result::Result<(), String> {
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = after.find(';').ok_or("a lone `&`; write `&amp;`")?;
        out.push(entity(&after[..end]).ok_or_else(|| unknown_entity(&after[..end]))?);
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    Ok(())
}

/// Writes text or an attribute's value (between double quotes) so that reading gives it back. Characters that XML
/// cannot hold are an error of kind [`io::ErrorKind::InvalidData`].
pub(crate) fn write_escaped(out: &mut (impl Write + ?Sized), text: &str) -> io::Result<()> {
    let mut done = 0;
    for (at, c) in text.char_indices() {
        let escaped = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\t' => "&#9;",
            '\n' => "&#10;",
            '\r' => "&#13;",
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {
                let message = format!("XML cannot hold the character U+{:04X} of {text:?}", c as u32);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            _ => continue,
        };
        out.write_all(&text.as_bytes()[done..at])?;
        out.write_all(escaped.as_bytes())?;
        done = at + c.len_utf8();
    }
    out.write_all(&text.as_bytes()[done..])
}

/// Writes ` name="value"` into a start tag.
pub(crate) fn write_attr(out: &mut (impl Write + ?Sized), name: &str, value: &str) -> io::Result<()> {
    write!(out, " {name}=\"")?;
    write_escaped(out, value)?;
    out.write_all(b"\"")
}

/// Writes several attributes into a start tag.
pub(crate) fn write_attrs(out: &mut (impl Write + ?Sized), attrs: &[(Box<str>, Box<str>)]) -> io::Result<()> {
    attrs.iter().try_for_each(|(name, value)| write_attr(out, name, value))
}

/// Writes `<name>text</name>`.
pub(crate) fn write_element(out: &mut (impl Write + ?Sized), name: &str, text: &str) -> io::Result<()> {
    write!(out, "<{name}>")?;
    write_escaped(out, text)?;
    write!(out, "</{name}>")
}
