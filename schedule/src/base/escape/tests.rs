use proptest::prelude::*;

use super::*;

/// Characters with a meaning in some format, hidden characters, and others.
fn hostile() -> impl Strategy<Value = String> {
    let chars = "a_é漢 \"\\`'#&<>{}|%:,;->\n\r\t\u{0}\u{1b}\u{7f}\u{85}\u{a0}\u{ad}\u{200b}\u{200e}\u{2028}\u{202e}\u{2066}\u{feff}\u{e0041}\u{ffff}";
    let chars: Vec<char> = chars.chars().collect();
    prop::collection::vec(prop::sample::select(chars), 0..8)
        .prop_map(|chars| chars.into_iter().collect())
}

#[test]
fn hidden_characters_are_escaped_in_each_format() {
    let text = "a\n\u{202e}b\u{0}";
    assert_eq!(shown(text).to_string(), "a\\n\\u{202e}b\\u{0}");
    assert_eq!(quoted(text), "\"a\\n\\u{202e}b\\u{0}\"");
    assert_eq!(json(text), "\"a\\u000a\\u202eb\\u0000\"");
    assert_eq!(json("\u{e0041}"), "\"\\udb40\\udc41\"");
    assert_eq!(dot(text), "\"a\\n\\\\u{202e}b\\\\u{0}\"");
    assert_eq!(mermaid(text), "a<br/>#92;u#123;202e#125;b#92;u#123;0#125;");
    assert_eq!(yaml(text), "a\\\\n\\\\u{202e}b\\\\u{0}");
}

#[test]
fn special_characters_are_escaped_in_each_format() {
    assert_eq!(quoted("a\"\\"), "\"a\\\"\\\\\"");
    assert_eq!(dot("a\"\\&"), "\"a\\\"\\\\&amp;\"");
    assert_eq!(mermaid("<b>`#"), "#60;b#62;#96;#35;");
    assert_eq!(mermaid(""), " ");
    assert_eq!(yaml("a\"\\"), "a\\\"\\\\");
}

#[test]
fn malformed_string_literal_is_an_error() {
    for text in [
        "",
        "a",
        "\\",
        "\\x\"",
        "\\u\"",
        "\\u{\"",
        "\\u{}\"",
        "\\u{d800}\"",
        "\\u{110000}\"",
    ] {
        assert!(unquoted(text).is_err(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 512 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_hidden_character_remains(text in hostile()) {
        for escaped in [shown(&text).to_string(), quoted(&text), json(&text), dot(&text), mermaid(&text), yaml(&text)] {
            prop_assert!(!has_hidden(&escaped), "{escaped}");
        }
    }

    #[test]
    fn quoted_text_is_read_back(text in hostile(), behind in hostile()) {
        let literal = quoted(&text) + &behind;
        let read = unquoted(&literal[1..]);
        prop_assert_eq!(read, Ok((text, behind.as_str())));
    }
}
