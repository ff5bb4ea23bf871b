//! Parses a schedule. After an error, skips to the next comma, so that one error does not hide others.

mod clause;

use proc_macro2::{Delimiter, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::parse::discouraged::Speculative;
use syn::punctuated::Punctuated;
use syn::token::{Brace, Paren};
use syn::{
    Attribute, Error, Ident, Pat, PatType, Path, ReturnType, Token, braced, parenthesized,
    parse_quote, parse_quote_spanned,
};

use super::ahead::{
    is_single_word, starts, starts_clause, starts_closure, starts_entry, starts_lost_clause,
    starts_path, starts_path_2, starts_policy, starts_setting,
};
use super::syntax::{
    Chain, Clause, Closure, Declared, Entry, Item, Link, Policy, Setting, StateChange,
};
use crate::clauses::{ClauseRow, Kind, SettingRow, lacks_value};
use crate::errors::Errors;
use crate::extent::{self, Depth, is_block};
use crate::messages;
use crate::spans::{generated, quote};

impl Declared {
    /// Parses all valid tokens. Adds errors to `errors`.
    ///
    /// # Errors
    ///
    /// Fails if there is no name.
    pub(super) fn parse(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let (own, attrs) = attrs
            .into_iter()
            .partition::<Vec<_>, _>(|attr| attr.path().is_ident("schedule"));
        let krate = parse_crate(&own, errors);
        let vis = input.parse()?;
        if input.peek(Token![struct]) || input.peek(Token![enum]) {
            let keyword = input.call(Ident::parse_any)?;
            errors.at(&keyword, messages::with_keyword(&keyword));
        }
        let is_open = input.peek(Ident) && input.peek2(Ident);
        if is_open {
            let word: Ident = input.parse()?;
            if word != "open" {
                errors.at(&word, messages::unknown_word_before_name(&word));
            }
        }
        if !input.peek(Ident) {
            return Err(input.error(messages::EXPECTED_NAME_OF_SCHEDULE));
        }
        let mut declared = Self {
            attrs,
            krate,
            vis,
            is_open,
            name: input.parse()?,
            items: Vec::new(),
            skipped_names: Vec::new(),
        };
        let mut parser = Parser {
            errors,
            skipped_names: &mut declared.skipped_names,
            n_closures: 0,
            is_after_clause: false,
        };
        if input.peek(Token![<]) {
            parser.errors.push(input.error(messages::GENERIC_SCHEDULE));
            parser.skip(input, &[Delimiter::Brace]);
        }
        if input.peek(Brace) {
            let content;
            braced!(content in input);
            declared.items = parser.items(&content);
            if !input.is_empty() {
                parser.errors.push(input.error(messages::EXPECTED_END));
            }
        } else {
            parser
                .errors
                .push(input.error(messages::EXPECTED_BODY_OF_SCHEDULE));
        }
        // Unread tokens have been reported already.
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(declared)
    }
}

/// Returns the path in `#[schedule(crate = path)]`.
fn parse_crate(attrs: &[Attribute], errors: &mut Errors) -> Path {
    let mut krate = None;
    for attr in attrs {
        let result = attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(Error::new_spanned(
                    &meta.path,
                    messages::unknown_option(None, "`crate`"),
                ));
            }
            let path = meta.value()?.call(Path::parse_mod_style)?;
            if krate.replace(path).is_some() {
                return Err(Error::new_spanned(
                    &meta.path,
                    messages::given_twice("crate"),
                ));
            }
            Ok(())
        });
        if let Err(error) = result {
            errors.push(error);
        }
    }
    krate.unwrap_or_else(|| parse_quote_spanned!(generated()=> ::schedule))
}

struct Parser<'a> {
    errors: &'a mut Errors,
    skipped_names: &'a mut Vec<String>,
    /// The number of closures that were read.
    n_closures: usize,
    /// Whether the item that was read last ends with a clause, and a word follows it.
    is_after_clause: bool,
}

impl Parser<'_> {
    /// Parses all items of a block.
    fn items(&mut self, input: ParseStream<'_>) -> Vec<Item> {
        let mut items = Vec::new();
        while !input.is_empty() {
            let start = input.fork();
            let item = self.item(input);
            let is_after_clause = core::mem::take(&mut self.is_after_clause);
            let needs_comma = item.as_ref().is_ok_and(|item| !item.ends_in_block());
            match item {
                Ok(item) => items.push(item),
                Err(error) => {
                    self.errors.push(error);
                    input.advance_to(&start);
                    self.skip(input, &[]);
                }
            }
            if input.peek(Token![,]) {
                let _ = input.parse::<Token![,]>();
                if starts_lost_clause(input) {
                    self.errors.push(input.error(messages::CLAUSE_AFTER_COMMA));
                    self.skip(input, &[]);
                    let _ = input.parse::<Option<Token![,]>>();
                }
            } else if !input.is_empty() && needs_comma {
                self.report_missing_comma(input, is_after_clause);
            }
        }
        items
    }

    /// Reports a missing comma. An entry at this place is parsed next, and other tokens are skipped. `is_after_clause`: whether the next
    /// word may be a misspelled clause.
    fn report_missing_comma(&mut self, input: ParseStream<'_>, is_after_clause: bool) {
        if input.peek(Token![;]) {
            let error = input.error(messages::SEMICOLON);
            self.errors.push(error);
            // Treats the semicolon like a comma.
            let _ = input.parse::<Token![;]>();
            return;
        }
        if input.peek(Token![=>]) {
            self.errors.push(input.error(messages::BACKWARDS));
            self.skip(input, &[]);
            let _ = input.parse::<Option<Token![,]>>();
            return;
        }
        if starts_entry(input) {
            let is_name = is_after_clause && is_single_word(input);
            let message = match input.fork().parse::<Ident>() {
                Ok(word) if is_name => {
                    lacks_value(&word).unwrap_or_else(|| messages::expected_comma_before(word))
                }
                _ => messages::EXPECTED_COMMA_BEFORE.to_string(),
            };
            self.errors.push(input.error(message));
            return;
        }
        let error = match input.fork().parse::<Ident>() {
            Ok(word) => input.error(messages::unknown_word_after_entry(word)),
            Err(_) => input.error(messages::EXPECTED_COMMA),
        };
        self.errors.push(error);
        self.skip(input, &[]);
        if input.peek(Token![,]) {
            let _ = input.parse::<Token![,]>();
        }
    }

    fn item(&mut self, input: ParseStream<'_>) -> syn::Result<Item> {
        if input.peek(Token![->]) {
            return Err(input.error(messages::ARROW_WITHOUT_ENTRY));
        }
        if starts_policy(input) {
            return Policy::parse(input).map(Item::Policy);
        }
        if let Some(is_enter) = ClauseRow::parse_state(input) {
            return self.state(is_enter, input);
        }
        if starts_setting(input) {
            return Setting::parse(input).map(Item::Setting);
        }
        let Chain { first, others } = self.chain(input, messages::ENTRIES)?;
        match first {
            Link::Entry(entry) if others.is_empty() => Ok(Item::Entry(*entry)),
            first => Ok(Item::Chain(Chain { first, others })),
        }
    }

    /// Parses `Phase::Night { … }` after `on enter` or `on exit`.
    fn state(&mut self, is_enter: bool, input: ParseStream<'_>) -> syn::Result<Item> {
        let change = StateChange::parse(is_enter, input)?;
        if !input.peek(Brace) {
            return Err(input.error(messages::EXPECTED_ENTRIES_OF_STATE));
        }
        let content;
        braced!(content in input);
        Ok(Item::State(change, self.items(&content)))
    }

    /// Parses one entry of any kind, with its clauses and its block.
    fn entry(&mut self, input: ParseStream<'_>, expected: &str) -> syn::Result<Entry> {
        if starts_closure(input) {
            let entry = self.closure(input)?;
            return self.rest(entry, input);
        }
        if !starts_path(input) {
            return Err(input.error(messages::expected(expected)));
        }
        if input.peek(Ident) && input.peek2(Token![<-]) {
            // Without this check, `<-` would be parsed as the arguments of a generic system.
            input.parse::<Ident>()?;
            return Err(input.error(messages::BACKWARDS));
        }
        let kind = if starts(input, "group") && (starts_path_2(input) || input.peek2(Brace)) {
            Kind::Group
        } else if starts(input, "include") && starts_path_2(input) {
            Kind::Plugin
        } else if starts(input, "checkpoint") && starts_path_2(input) {
            Kind::Checkpoint
        } else if starts(input, "apply_commands") && starts_path_2(input) {
            Kind::ApplyCommands
        } else if starts(input, "repeat")
            && (input.peek2(Token![while]) || starts_path_2(input) || input.peek2(Brace))
        {
            return self.repeat(input);
        } else if starts_policy(input) {
            return Err(input.error(messages::POLICY_IN_CHAIN));
        } else if ClauseRow::parse_state(&input.fork()).is_some() {
            return Err(input.error(messages::STATE_IN_CHAIN));
        } else if starts_setting(input) {
            return Err(match SettingRow::next(input) {
                Some(row) => input.error(messages::setting_in_chain(row)),
                None => input.error(messages::expected(expected)),
            });
        } else if input.peek(Ident) && input.peek2(Ident) && input.peek3(Brace) {
            let word = input.fork().parse::<Ident>()?;
            return Err(input.error(messages::unknown_word(word, expected)));
        } else {
            Kind::System
        };
        if kind != Kind::System {
            input.parse::<Ident>()?;
            if !starts_path(input) {
                return Err(input.error(messages::expected_name_of(kind.noun())));
            }
        }
        let entry = Entry::new(kind, input)?;
        self.rest(entry, input)
    }

    /// Parses `|health: &mut Health| { … }`.
    fn closure(&mut self, input: ParseStream<'_>) -> syn::Result<Entry> {
        input.parse::<Option<Token![move]>>()?;
        let start = input.cursor().span();
        let mut parameters = Punctuated::<PatType, Token![,]>::new();
        if input.peek(Token![||]) {
            input.parse::<Token![||]>()?;
        } else {
            input.parse::<Token![|]>()?;
            while !input.peek(Token![|]) {
                let attrs = input.call(Attribute::parse_outer)?;
                let pat = input.call(Pat::parse_single)?;
                if !input.peek(Token![:]) {
                    let message = messages::TYPE_OF_PARAMETER;
                    return Err(Error::new_spanned(pat, message));
                }
                parameters.push_value(PatType {
                    attrs,
                    pat: Box::new(pat),
                    colon_token: input.parse()?,
                    ty: input.parse()?,
                });
                if !input.peek(Token![|]) {
                    parameters.push_punct(input.parse()?);
                }
            }
            input.parse::<Token![|]>()?;
        }
        let output: ReturnType = input.parse()?;
        if !input.peek(Brace) {
            let message = messages::CLOSURE_WITHOUT_BODY;
            return Err(input.error(message));
        }
        let body: TokenTree = input.parse()?;
        let ident = Ident::new(&format!("__closure_{}", self.n_closures), start);
        self.n_closures += 1;
        Ok(Entry {
            kind: Kind::System,
            path: parse_quote!(#ident),
            closure: Some(Closure {
                ident,
                parameters: parameters.into_token_stream(),
                rest: quote!(#output #body),
            }),
            name: None,
            clauses: Vec::new(),
            has_block: false,
            block: Vec::new(),
        })
    }

    /// Parses `repeat while condition …`.
    fn repeat(&mut self, input: ParseStream<'_>) -> syn::Result<Entry> {
        let word: Ident = input.parse()?;
        if !input.peek(Token![while]) {
            let message = messages::LOOP_WITHOUT_CONDITION;
            return Err(Error::new_spanned(word, message));
        }
        input.parse::<Token![while]>()?;
        if !starts_path(input) {
            return Err(input.error(messages::EXPECTED_CONDITION_OF_LOOP));
        }
        let entry = Entry::new(Kind::Loop, input)?;
        if input.peek(Paren) {
            return Err(input.error(messages::CONDITIONS_OF_LOOP));
        }
        self.rest(entry, input)
    }

    /// Parses everything after the path of an entry.
    fn rest(&mut self, mut entry: Entry, input: ParseStream<'_>) -> syn::Result<Entry> {
        self.name(&mut entry, input)?;
        if input.peek(Token![:]) {
            input.parse::<Token![:]>()?;
            if !starts_clause(input)
                && (input.is_empty()
                    || input.peek(Token![,])
                    || input.peek(Brace)
                    || input.peek(Token![->]))
            {
                self.errors
                    .push(input.error(messages::expected(messages::clauses())));
            }
            self.clauses(&mut entry, input);
        } else if starts_clause(input) {
            self.errors.push(input.error(messages::EXPECTED_COLON));
            self.clauses(&mut entry, input);
        }
        let may_have_block = matches!(entry.kind, Kind::Group | Kind::Loop);
        if input.peek(Brace) {
            let content;
            let brace = braced!(content in input);
            entry.has_block = true;
            if !may_have_block {
                let message = match entry.kind {
                    Kind::Plugin => messages::PLUGIN_WITH_BLOCK.to_string(),
                    kind => messages::with_block(kind.noun()),
                };
                self.errors.push(Error::new(brace.span.open(), message));
            }
            // The user probably meant a group, so the contents are parsed as entries.
            entry.block = self.items(&content);
        } else if entry.kind == Kind::Loop {
            self.errors
                .push(input.error(messages::EXPECTED_BODY_OF_LOOP));
        }
        Ok(entry)
    }

    /// Parses `as name` and `at most n`.
    fn name(&mut self, entry: &mut Entry, input: ParseStream<'_>) -> syn::Result<()> {
        loop {
            if input.peek(Token![as]) {
                let word = input.parse::<Token![as]>()?;
                if !input.peek(Ident) {
                    return Err(input.error(messages::EXPECTED_NAME));
                }
                let name = input.parse()?;
                if entry.name.replace(name).is_some() {
                    self.errors.at(word, messages::given_twice("as"));
                }
            } else if starts(input, "at") && input.peek2(Ident) {
                let clause = Clause::parse(input)?;
                entry.clauses.extend(clause);
            } else {
                return Ok(());
            }
        }
    }

    /// Parses clauses up to the first token that is not part of one.
    fn clauses(&mut self, entry: &mut Entry, input: ParseStream<'_>) {
        let is_over = |input: ParseStream<'_>| {
            input.is_empty() || input.peek(Token![,]) || input.peek(Brace) || input.peek(Token![->])
        };
        while !is_over(input) {
            let result = match Clause::parse(input) {
                Ok(Some(clause)) => {
                    entry.clauses.push(clause);
                    continue;
                }
                // The next entry starts here. The caller reports the missing comma.
                Ok(None) if !entry.clauses.is_empty() && starts_entry(input) => {
                    self.is_after_clause = true;
                    return;
                }
                Ok(None) if input.peek(Ident) => {
                    let word = input.fork().parse::<Ident>().expect("peeked");
                    let message = lacks_value(&word)
                        .unwrap_or_else(|| messages::unknown_word(word, messages::clauses()));
                    input.error(message)
                }
                Ok(None) if input.peek(Token![as]) => input.error(messages::NAME_AFTER_COLON),
                Ok(None) => input.error(messages::expected_comma_or_clause()),
                Err(error) => error,
            };
            self.errors.push(result);
            let may_have_block = matches!(entry.kind, Kind::Group | Kind::Loop);
            let stop_at = may_have_block.then_some(Delimiter::Brace);
            self.skip(input, stop_at.as_slice());
            return;
        }
    }

    /// Parses one or more links with arrows between them. `expected` lists the allowed first words.
    fn chain(&mut self, input: ParseStream<'_>, expected: &str) -> syn::Result<Chain> {
        let first = self.link(input, expected)?;
        let mut others = Vec::new();
        while input.peek(Token![->]) {
            let arrow = input.parse()?;
            if input.is_empty() || input.peek(Token![,]) {
                return Err(input.error(messages::EXPECTED_LINK));
            }
            others.push((arrow, self.link(input, messages::LINKS)?));
        }
        Ok(Chain { first, others })
    }

    fn link(&mut self, input: ParseStream<'_>, expected: &str) -> syn::Result<Link> {
        if !input.peek(Paren) {
            return Ok(Link::Entry(Box::new(self.entry(input, expected)?)));
        }
        let content;
        let brackets = parenthesized!(content in input);
        let mut chains = Vec::new();
        if content.is_empty() {
            let message = messages::EMPTY_LINK;
            self.errors.push(Error::new(brackets.span.join(), message));
        }
        while !content.is_empty() {
            let start = content.fork();
            let mut needs_comma = true;
            let chain = self.chain(&content, messages::LINKS);
            let is_after_clause = core::mem::take(&mut self.is_after_clause);
            match chain {
                Ok(chain) => {
                    needs_comma = !chain.ends_in_block();
                    chains.push(chain);
                }
                Err(error) => {
                    self.errors.push(error);
                    content.advance_to(&start);
                    self.skip(&content, &[]);
                }
            }
            if content.peek(Token![,]) {
                content.parse::<Token![,]>()?;
            } else if !content.is_empty() && needs_comma {
                self.report_missing_comma(&content, is_after_clause);
            }
        }
        if input.peek(Token![:]) || starts_clause(input) {
            self.errors.push(input.error(messages::CLAUSES_OF_LINK));
            self.skip(input, &[]);
        }
        Ok(Link::Several(brackets, chains))
    }

    /// Skips tokens up to the next comma, the end of a block, or one of these brackets.
    fn skip(&mut self, input: ParseStream<'_>, stop_at: &[Delimiter]) {
        let mut depth = Depth::default();
        let mut last = String::new();
        while !input.is_empty() {
            let is_block = input.peek(Brace);
            if is_block && stop_at.contains(&Delimiter::Brace) {
                return;
            }
            if input.peek(Token![|]) || input.peek(Token![||]) {
                let ends_in_block = pass_over_closure(input);
                last.clear();
                if ends_in_block && !goes_on(input) {
                    return;
                }
                continue;
            }
            let Ok(tree) = input.fork().parse::<TokenTree>() else {
                return;
            };
            let is_outside = depth.is_outside(&tree);
            if is_outside && input.peek(Token![,]) {
                return;
            }
            let _ = input.parse::<TokenTree>();
            let text = match &tree {
                TokenTree::Group(_) => String::new(),
                tree => tree.to_string(),
            };
            if last == "as" {
                self.skipped_names.push(text.clone());
            }
            self.skip_names(tree);
            last = text;
            if is_outside && is_block && !goes_on(input) {
                return;
            }
        }
    }

    /// Collects the names that skipped brackets give to entries.
    fn skip_names(&mut self, tree: TokenTree) {
        if let TokenTree::Group(group) = tree {
            let mut last = String::new();
            for tree in group.stream() {
                if last == "as" {
                    self.skipped_names.push(tree.to_string());
                }
                last = tree.to_string();
                self.skip_names(tree);
            }
        }
    }
}

/// Skips a closure. If it has no second bar, skips only its first token. Returns whether the skipped tokens end in a block.
fn pass_over_closure(input: ParseStream<'_>) -> bool {
    let trees: Vec<_> = input.cursor().token_stream().into_iter().collect();
    let n_trees = extent::closure(&trees).unwrap_or(1);
    for _ in 0..n_trees {
        let _ = input.parse::<TokenTree>();
    }
    is_block(&trees[n_trees - 1])
}

/// Returns whether an entry continues after a block.
fn goes_on(input: ParseStream<'_>) -> bool {
    let trees = input.cursor().token_stream().into_iter().take(2);
    extent::continues(&trees.collect::<Vec<_>>())
}

impl Entry {
    fn new(kind: Kind, input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            kind,
            path: input.parse()?,
            closure: None,
            name: None,
            clauses: Vec::new(),
            has_block: false,
            block: Vec::new(),
        })
    }
}
