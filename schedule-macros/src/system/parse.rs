//! Parses the options, and the attributes of the parameters.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, FnArg, Ident, LitBool, LitStr, Path, Token, TypePath, parenthesized,
    parse_quote_spanned,
};

use crate::errors::Errors;
use crate::function::FunctionItem;
use crate::guard::{self, Guard};
use crate::messages;
use crate::spans::{generated, quote};

/// The kinds of order: options, and functions of `Order`.
pub(super) const ORDERS: [&str; 8] = [
    "after",
    "before",
    "after_if_present",
    "before_if_present",
    "after_if_conflicting",
    "before_if_conflicting",
    "after_without_commands",
    "before_without_commands",
];

/// The options other than orders that are lists.
const LISTS: [&str; 5] = ["in", "if", "schedule", "with", "without"];

/// The contents of `#[system(…)]`.
#[derive(Default)]
pub(super) struct SystemOptions {
    /// `orders[i]`: the orders of kind `ORDERS[i]`.
    pub(super) orders: [Option<Vec<TypePath>>; ORDERS.len()],
    pub(super) groups: Option<Vec<TypePath>>,
    pub(super) guards: Option<Vec<Guard>>,
    pub(super) schedules: Option<Vec<TypePath>>,
    pub(super) name: Option<LitStr>,
    pub(super) proves: Option<TypePath>,
    /// The token `main_thread`.
    pub(super) main_thread: Option<Ident>,
    /// The token `always`.
    pub(super) always: Option<Ident>,
    pub(super) spanning: Option<SpanningOption>,
    pub(super) for_each: Option<ForEachOption>,
    /// The components that an entity must have.
    pub(super) with: Option<Filters>,
    /// The components that an entity must not have.
    pub(super) without: Option<Filters>,
    /// The token of `sweep = false`.
    pub(super) sweep: Option<Ident>,
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

/// The option `with` or `without`.
pub(super) struct Filters {
    /// The token of the option.
    pub(super) option: Ident,
    pub(super) components: Vec<TypePath>,
}

impl SystemOptions {
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
        if let Some(kind) = ORDERS.iter().position(|kind| *kind == option) {
            return set(&mut self.orders[kind], meta, list);
        }
        match option.as_str() {
            "in" => set(&mut self.groups, meta, list),
            "if" => set(&mut self.guards, meta, guard::list),
            "schedule" => set(&mut self.schedules, meta, list),
            "name" => set(&mut self.name, meta, |input| input.parse()),
            "proves" => set(&mut self.proves, meta, |input| input.parse()),
            "observer" => set(&mut self.observer, meta, |input| input.parse()),
            "type" => set(&mut self.hidden_type, meta, |input| input.parse()),
            "main_thread" => set_flag(&mut self.main_thread, meta),
            "always" => set_flag(&mut self.always, meta),
            "spanning" => set_spanning(&mut self.spanning, meta, ident),
            "for_each" => set_for_each(&mut self.for_each, meta, ident),
            "with" => set_filters(&mut self.with, meta, ident),
            "without" => set_filters(&mut self.without, meta, ident),
            "sweep" => set_sweep(&mut self.sweep, meta, ident),
            "crate" => set(&mut self.krate, meta, Path::parse_mod_style),
            _ => Err(unknown(meta, Some(&option))),
        }
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
    let known = ORDERS.iter().chain(&[
        "in",
        "if",
        "always",
        "spanning",
        "main_thread",
        "for_each",
        "with",
        "without",
        "sweep",
        "proves",
        "schedule",
        "name",
        "type",
    ]);
    let known: Vec<_> = known.map(|known| format!("`{known}`")).collect();
    let known = messages::or_crate(known.join(", "));
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
        let is_list = |name: &str| ORDERS.contains(&name) || LISTS.contains(&name);
        let message = if is_list(&name) {
            messages::list_given_twice(name)
        } else {
            messages::given_twice(name)
        };
        return Err(syn::Error::new_spanned(&meta.path, message));
    }
    *option = Some(value);
    Ok(())
}

/// Sets an option that has no value and can be given once.
fn set_flag(option: &mut Option<Ident>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    let name = meta.path.get_ident().expect("matched by its name");
    if !is_end(meta.input) {
        return Err(meta.input.error(messages::takes_no_value(name)));
    }
    if option.replace(name.clone()).is_some() {
        let message = messages::given_twice(name);
        return Err(syn::Error::new_spanned(name, message));
    }
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

/// Reads `sweep = false`.
fn set_sweep(
    option: &mut Option<Ident>,
    meta: &ParseNestedMeta<'_>,
    name: &Ident,
) -> syn::Result<()> {
    let message = messages::sweep_value(messages::SWEEP_OPTION);
    if is_end(meta.input) {
        return Err(syn::Error::new_spanned(name, message));
    }
    let value = meta.value()?;
    match value.parse::<LitBool>() {
        Ok(value) if !value.value => {}
        Ok(value) => return Err(syn::Error::new_spanned(value, message)),
        Err(_) => return Err(value.error(message)),
    }
    if option.replace(name.clone()).is_some() {
        let message = messages::given_twice(name);
        return Err(syn::Error::new_spanned(name, message));
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
