use super::*;

const HEADER: &str = "block,index,from,to,value_wei,gas_limit,kind,token_from,token_to";

fn parsed(lines: &[&str]) -> Result<Vec<Block>, String> {
    let text = [&[HEADER], lines].concat().join("\n");
    read_bytes(text.as_bytes())
}

/// Like [`read`], with the error as text.
fn read_bytes(bytes: &[u8]) -> Result<Vec<Block>, String> {
    parse(bytes).map_err(|fault| mistake(Path::new("FILE"), bytes, fault).to_string())
}

#[track_caller]
fn assert_mistake(lines: &[&str], expected: &str) {
    assert_eq!(parsed(lines).unwrap_err(), expected);
}

#[test]
fn lines_become_blocks() {
    let blocks = parsed(&[
        "7,0,1,2,5,21000,plain,,",
        "7,1,3,4,0,65000,erc20,3,9",
        "6,0,1,,0,90000,create,,",
        "6,1,1,2,0,90000,create,,",
    ])
    .unwrap();
    assert_eq!(
        blocks.iter().map(|block| block.number).collect::<Vec<_>>(),
        [7, 6]
    );
    assert_eq!(
        blocks[0].transfers[0],
        Transfer {
            from: Account(1),
            to: Some(Account(2)),
            value_wei: 5,
            gas_limit: 21000,
            kind: Kind::Plain,
        }
    );
    let tokens = Kind::Erc20 {
        token_from: Account(3),
        token_to: Account(9),
    };
    assert_eq!(blocks[0].transfers[1].kind, tokens);
    assert_eq!(blocks[1].transfers[0].to, None);
    assert_eq!(blocks[1].transfers[1].to, Some(Account(2)));
}

#[test]
fn a_header_alone_has_no_blocks() {
    assert_eq!(parsed(&[]), Ok(Vec::new()));
    assert_eq!(parsed(&[""]), Ok(Vec::new()));
}

#[test]
fn columns_may_come_in_any_order() {
    let text =
        "kind,to,from,index,block,token_to,token_from,gas_limit,value_wei\nplain,2,1,0,7,,,3,4\n";
    let blocks = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(blocks[0].transfers[0].to, Some(Account(2)));
    assert_eq!(blocks[0].transfers[0].value_wei, 4);
}

#[test]
fn the_largest_numbers_fit() {
    let line = "18446744073709551615,0,1,2,340282366920938463463374607431768211455,18446744073709551615,call,,";
    let blocks = parsed(&[line]).unwrap();
    assert_eq!(blocks[0].number, u64::MAX);
    assert_eq!(blocks[0].transfers[0].value_wei, u128::MAX);
    assert_eq!(blocks[0].transfers[0].gas_limit, u64::MAX);
}

#[test]
fn a_file_that_is_not_there() {
    let error = read(Path::new("no/such/file.csv")).unwrap_err().to_string();
    assert!(error.starts_with("no/such/file.csv: "), "{error}");
}

#[test]
fn a_missing_column() {
    let text = "block,index,from,to,value_wei,gas_limit,kind,token_from\n";
    let error = read_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error, "FILE:1: column `token_to`: missing");
}

#[test]
fn an_empty_file_misses_every_column() {
    assert_eq!(
        read_bytes(b"").unwrap_err(),
        "FILE:1: column `block`: missing"
    );
}

#[test]
fn an_unknown_column() {
    let text = format!("{HEADER},fee\n");
    assert_eq!(
        read_bytes(text.as_bytes()).unwrap_err(),
        "FILE:1: column `fee`: unknown; the columns are block, index, from, to, value_wei, gas_limit, kind, \
         token_from, token_to"
    );
}

#[test]
fn a_duplicate_column() {
    let text = format!("{HEADER},kind\n");
    let error = read_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error, "FILE:1: column `kind`: duplicate");
}

#[test]
fn text_for_a_number() {
    assert_mistake(
        &["7,0,1,2,abc,21000,plain,,"],
        "FILE:2: column `value_wei`: expected a whole number up to 2^128-1, found `abc`",
    );
}

#[test]
fn a_sign_or_a_fraction() {
    for text in ["-1", "+1", "1.0", "1e18", " 1"] {
        assert_mistake(
            &[&format!("7,0,1,2,{text},21000,plain,,")],
            &format!(
                "FILE:2: column `value_wei`: expected a whole number up to 2^128-1, found `{text}`"
            ),
        );
    }
}

#[test]
fn one_more_than_the_largest_number() {
    assert_mistake(
        &["7,0,1,2,340282366920938463463374607431768211456,21000,plain,,"],
        "FILE:2: column `value_wei`: expected a whole number up to 2^128-1, found \
         `340282366920938463463374607431768211456`",
    );
    assert_mistake(
        &["7,0,1,2,5,18446744073709551616,plain,,"],
        "FILE:2: column `gas_limit`: expected a whole number up to 2^64-1, found `18446744073709551616`",
    );
}

#[test]
fn an_empty_field_that_is_needed() {
    assert_mistake(
        &["7,0,,2,5,21000,plain,,"],
        "FILE:2: column `from`: expected a whole number up to 2^64-1, found nothing",
    );
    assert_mistake(
        &["7,0,1,2,0,21000,erc20,1,"],
        "FILE:2: column `token_to`: expected a whole number up to 2^64-1, found nothing",
    );
}

#[test]
fn only_a_creation_may_leave_out_the_receiver() {
    assert_mistake(
        &["7,0,1,,5,21000,plain,,"],
        "FILE:2: column `to`: expected a whole number up to 2^64-1, found nothing",
    );
}

#[test]
fn only_tokens_have_holders() {
    assert_mistake(
        &["7,0,1,2,5,21000,plain,3,"],
        "FILE:2: column `token_from`: expected nothing, as `kind` is not erc20, found `3`",
    );
}

#[test]
fn an_unknown_kind() {
    assert_mistake(
        &["7,0,1,2,5,21000,Plain,,"],
        "FILE:2: column `kind`: expected plain, erc20, call or create, found `Plain`",
    );
}

#[test]
fn an_index_out_of_order() {
    let first = "7,0,1,2,5,21000,plain,,";
    assert_mistake(
        &[first, "7,2,1,2,5,21000,plain,,"],
        "FILE:3: column `index`: expected 1, found `2`",
    );
    assert_mistake(
        &[first, "8,1,1,2,5,21000,plain,,"],
        "FILE:3: column `index`: expected 0, found `1`",
    );
}

#[test]
fn a_block_in_two_parts() {
    assert_mistake(
        &[
            "7,0,1,2,5,21000,plain,,",
            "8,0,1,2,5,21000,plain,,",
            "7,1,1,2,5,21000,plain,,",
        ],
        "FILE:4: column `block`: expected a block that has not ended, found `7`",
    );
}

#[test]
fn a_line_with_too_few_or_too_many_columns() {
    assert_mistake(
        &["7,0,1,2"],
        "FILE:2: column `value_wei`: missing; expected 9 columns, found 4",
    );
    assert_mistake(
        &["7,0,1,2,5,21000,plain,,,"],
        "FILE:2: expected 9 columns, found 10",
    );
}

#[test]
fn bytes_that_are_no_text() {
    let line = b"7,0,1,2,5,21000,pl\xffin,,";
    let bytes = [HEADER.as_bytes(), b"\n", line].concat();
    assert_eq!(
        read_bytes(&bytes).unwrap_err(),
        "FILE:2: column `kind`: expected UTF-8, found other bytes"
    );
}

#[test]
fn a_quotation_mark_that_never_closes_is_shown_in_part() {
    let rest = "7,1,1,2,5,21000,plain,,";
    assert_mistake(
        &["7,0,1,2,5,21000,\"plain,,", rest, rest],
        "FILE:2: column `token_from`: missing; expected 9 columns, found 7",
    );
    assert_mistake(
        &["7,0,1,2,5,21000,\"plain,,", rest, rest, "\",,"],
        "FILE:2: column `kind`: expected plain, erc20, call or create, found \
         `plain,,\\n7,1,1,2,5,21000,plain,,\\n7,1,1,…`",
    );
}

/// The `csv` crate is one line behind in both cases.
#[test]
fn blank_lines_and_windows_line_ends_count() {
    for line_end in ["\n", "\r\n"] {
        let lines = [
            HEADER,
            "7,0,1,2,5,21000,plain,,",
            "",
            "",
            "7,1,1,2,x,21000,plain,,",
            "",
        ];
        assert_eq!(
            read_bytes(lines.join(line_end).as_bytes()).unwrap_err(),
            "FILE:5: column `value_wei`: expected a whole number up to 2^128-1, found `x`"
        );
    }
}
