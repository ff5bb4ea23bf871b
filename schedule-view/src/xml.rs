//! Text in XML.

use schedule::internal::shown;

/// Escapes a text for XML text or attributes: `&`, `<`, `>` and `"` become entities. Line breaks are kept. Other hidden
/// characters are escaped as in messages.
pub(crate) fn xml(text: &str) -> String {
    let mut xml = String::new();
    for (idx, line) in text.split('\n').enumerate() {
        if idx > 0 {
            xml.push('\n');
        }
        for c in shown(line).to_string().chars() {
            match c {
                '&' => xml.push_str("&amp;"),
                '<' => xml.push_str("&lt;"),
                '>' => xml.push_str("&gt;"),
                '"' => xml.push_str("&quot;"),
                c => xml.push(c),
            }
        }
    }
    xml
}

#[cfg(test)]
mod tests {
    use super::xml;

    #[test]
    fn hidden_characters_are_escaped_and_line_breaks_kept() {
        assert_eq!(xml("a\n\u{202e}b\u{0}"), "a\n\\u{202e}b\\u{0}");
        assert_eq!(xml("\r\n\t\n"), "\\r\n\\t\n");
    }

    #[test]
    fn special_characters_become_entities() {
        assert_eq!(xml("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
