//! Parses the options, and the attributes of the parameters.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, FnArg, Ident, LitBool, LitStr, Path, Token, TypePath, parenthesized,
    parse_quote_spanned,
};

use crate::clauses::{CLAUSES, ClauseRow, Mark, Value};
use crate::errors::Errors;
use crate::function::FunctionItem;
use crate::guard::{self, Guard};
use crate::messages;
use crate::spans::{generated, quote};

/// The contents of `#[system(…)]`.
#[derive(Default)]
pub(super) struct SystemOptions {
    /// The kinds, and the other items.
    pub(super) orders: Vec<(&'static str, Vec<TypePath>)>,
    pub(super) groups: Option<Vec<TypePath>>,
    pub(super) guards: Option<Vec<Guard>>,
    pub(super) schedules: Option<Vec<TypePath>>,
    pub(super) name: Option<LitStr>,
    pub(super) proves: Option<TypePath>,
    /// The marks, and their tokens.
    pub(super) marks: Vec<(&'static Mark, Ident)>,
    pub(super) spanning: Option<SpanningOption>,
    pub(super) for_each: Option<ForEachOption>,
    /// The components that an entity must have.
    pub(super) with: Option<Filters>,
    /// The components that an entity must not have.
    pub(super) without: Option<Filters>,
    /// The components that must have changed.
    pub(super) changed: Option<Filters>,
    /// The components that an entity must have got.
    pub(super) added: Option<Filters>,
    /// Only for systems of the library, so no message mentions it.
    pub(super) observer: Option<TypePath>,
    pub(super) hidden_type: Option<Ident>,
    krate: Option<Path>,
}

/// The option `spanning`.
pub(super) struct SpanningOption {
    /// The token of the option.
    pub(super) option: Ident,
    /// The schedule that runs instead of a function.
    pub(super) group: Option<TypePath>,
}

/// The option `for_each`.
pub(super) struct ForEachOption {
    /// The token of the option.
    pub(super) option: Ident,
    /// The store of the entities. `None`: the default.
    pub(super) store: Option<TypePath>,
}

/// The option `with`, `without`, `changed` or `added`.
pub(super) struct Filters {
    /// The token of the option.
    pub(super) option: Ident,
    pub(super) components: Vec<TypePath>,
}

impl SystemOptions {
    /// The filters that are given.
    pub(super) fn filters(&self) -> impl Iterator<Item = &Filters> {
        let all = [&self.with, &self.without, &self.changed, &self.added];
        all.into_iter().flatten()
    }

    /// Parses all valid options. Adds errors to `errors`.
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let parser = syn::meta::parser(|meta| {
            // An invalid option does not hide the next options, unless its end cannot be found.
            options.parse_one(&meta)
        });
        if let Err(error) = parser.parse2(tokens) {
            errors.push(error);
        }
        options
    }

    fn parse_one(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let Some(ident) = meta.path.get_ident() else {
            return Err(unknown(meta, None));
        };
        let option = ident.to_string();
        let row = ClauseRow::of_option(&option);
        match row.map(|row| &row.value) {
            Some(Value::Order) => {
                let name = row.expect("it has a value").words();
                let known = self.orders.iter().position(|(kind, _)| *kind == name);
                let mut others = known.map(|known| self.orders.remove(known).1);
                let result = set(&mut others, meta, list);
                self.orders.extend(others.map(|others| (name, others)));
                return result;
            }
            Some(Value::Mark(mark)) => return self.set_mark(mark, meta, ident),
            _ => {}
        }
        match option.as_str() {
            "in" => set(&mut self.groups, meta, list),
            "if" => set(&mut self.guards, meta, guard::list),
            "schedule" => set(&mut self.schedules, meta, list),
            "name" => set(&mut self.name, meta, |input| input.parse()),
            "proves" => set(&mut self.proves, meta, |input| input.parse()),
            "observer" => set(&mut self.observer, meta, |input| input.parse()),
            "type" => set(&mut self.hidden_type, meta, |input| input.parse()),
            "spanning" => set_spanning(&mut self.spanning, meta, ident),
            "for_each" => set_for_each(&mut self.for_each, meta, ident),
            "with" => set_filters(&mut self.with, meta, ident),
            "without" => set_filters(&mut self.without, meta, ident),
            "changed" => set_filters(&mut self.changed, meta, ident),
            "added" => set_filters(&mut self.added, meta, ident),
            "crate" => set(&mut self.krate, meta, Path::parse_mod_style),
            _ => Err(unknown(meta, Some(&option))),
        }
    }

    /// Reads the only value of a mark, if it has one.
    fn set_mark(
        &mut self,
        mark: &'static Mark,
        meta: &ParseNestedMeta<'_>,
        name: &Ident,
    ) -> syn::Result<()> {
        if let Some((value, default)) = mark.only {
            let example = messages::option_with_value(name, value);
            let message = messages::only_value(example, name, value, default);
            if is_end(meta.input) {
                return Err(syn::Error::new_spanned(name, message));
            }
            let input = meta.value()?;
            if !input.peek(Ident::peek_any) && !input.peek(LitBool) {
                return Err(input.error(message));
            }
            let found = input.call(Ident::parse_any)?;
            if found != value {
                return Err(syn::Error::new_spanned(found, message));
            }
        } else if !is_end(meta.input) {
            return Err(meta.input.error(messages::takes_no_value(name)));
        }
        if self.mark(mark.constant).is_some() {
            let message = messages::given_twice(name);
            return Err(syn::Error::new_spanned(name, message));
        }
        self.marks.push((mark, name.clone()));
        Ok(())
    }

    /// Returns the token of a mark, if it is set. `constant`: a constant of `Marks`.
    pub(super) fn mark(&self, constant: &str) -> Option<&Ident> {
        let mut marks = self.marks.iter();
        marks
            .find(|(mark, _)| mark.constant == constant)
            .map(|(_, token)| token)
    }

    /// Whether a schedule runs instead of the function.
    pub(super) fn is_group(&self) -> bool {
        let spanning = self.spanning.as_ref();
        spanning.is_some_and(|spanning| spanning.group.is_some())
    }

    pub(super) fn krate(&self) -> Path {
        self.krate
            .clone()
            .unwrap_or_else(|| parse_quote_spanned!(generated()=> ::schedule))
    }
}

fn unknown(meta: &ParseNestedMeta<'_>, option: Option<&str>) -> syn::Error {
    let known = CLAUSES.iter().filter_map(|clause| clause.option.as_ref());
    let known = messages::one_of(known.map(|form| form.words));
    meta.error(messages::unknown_option(option, known))
}

/// Reads `= value` into an option that can be given once.
fn set<T>(
    option: &mut Option<T>,
    meta: &ParseNestedMeta<'_>,
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<()> {
    let value = parse(meta.value()?)?;
    if option.is_some() {
        let name = meta
            .path
            .get_ident()
            .expect("matched by its name")
            .to_string();
        let message = if ClauseRow::of_option(&name).is_some_and(ClauseRow::is_list) {
            messages::list_given_twice(name)
        } else {
            messages::given_twice(name)
        };
        return Err(syn::Error::new_spanned(&meta.path, message));
    }
    *option = Some(value);
    Ok(())
}

/// Reads `for_each`, or `for_each = Store`.
fn set_for_each(
    option: &mut Option<ForEachOption>,
    meta: &ParseNestedMeta<'_>,
    name: &Ident,
) -> syn::Result<()> {
    let store = if is_end(meta.input) {
        None
    } else {
        Some(meta.value()?.parse()?)
    };
    let for_each = ForEachOption {
        option: name.clone(),
        store,
    };
    if option.replace(for_each).is_some() {
        let message = messages::given_twice("for_each");
        return Err(syn::Error::new_spanned(&meta.path, message));
    }
    Ok(())
}

/// Reads `spanning`, or `spanning = Schedule`.
fn set_spanning(
    option: &mut Option<SpanningOption>,
    meta: &ParseNestedMeta<'_>,
    name: &Ident,
) -> syn::Result<()> {
    let group = if is_end(meta.input) {
        None
    } else {
        Some(meta.value()?.parse()?)
    };
    let spanning = SpanningOption {
        option: name.clone(),
        group,
    };
    if option.replace(spanning).is_some() {
        let message = messages::given_twice("spanning");
        return Err(syn::Error::new_spanned(&meta.path, message));
    }
    Ok(())
}

/// Reads a list of components.
fn set_filters(
    option: &mut Option<Filters>,
    meta: &ParseNestedMeta<'_>,
    name: &Ident,
) -> syn::Result<()> {
    let mut components = option.take().map(|before| before.components);
    let result = set(&mut components, meta, list);
    *option = components.map(|components| Filters {
        option: name.clone(),
        components,
    });
    result
}

/// Returns whether the option ends here.
fn is_end(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

/// Parses one path, or several in parentheses.
fn list(input: ParseStream<'_>) -> syn::Result<Vec<TypePath>> {
    if input.peek(syn::token::Paren) {
        let inside;
        parenthesized!(inside in input);
        let paths = Punctuated::<TypePath, Token![,]>::parse_terminated(&inside)?;
        Ok(paths.into_iter().collect())
    } else {
        Ok(vec![input.parse()?])
    }
}

/// Returns whether the attribute is `#[resource]`.
pub(super) fn is_resource(attr: &Attribute) -> bool {
    attr.path().is_ident("resource")
}

/// Returns the function without `#[resource]`, or `None` if it has none.
pub(super) fn without_resource(item: &FunctionItem) -> Option<TokenStream> {
    let FunctionItem {
        attrs,
        vis,
        signature,
        body,
    } = item;
    let mut signature = signature.clone();
    let mut is_changed = false;
    for input in &mut signature.inputs {
        let attrs = match input {
            FnArg::Receiver(receiver) => &mut receiver.attrs,
            FnArg::Typed(typed) => &mut typed.attrs,
        };
        is_changed |= attrs.iter().any(is_resource);
        attrs.retain(|attr| !is_resource(attr));
    }
    is_changed.then(|| quote!(#(#attrs)* #vis #signature #body))
}
