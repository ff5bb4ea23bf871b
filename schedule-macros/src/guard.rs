//! What has to hold, as the option `if` of `#[system]` and the clause `if` of `schedule!` say it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{Error, ExprPath, Ident, Token, TypePath, parenthesized};

use crate::spans::ends;

/// What has to hold for a system to run.
#[derive(Clone)]
pub(crate) enum Guard {
    /// A condition is true.
    Of(TypePath),
    /// A selector answers a branch.
    Is(TypePath, ExprPath),
    Not(Box<Guard>),
    All(Vec<Guard>),
    Any(Vec<Guard>),
}

/// One, or several in brackets: all of these have to hold.
pub(crate) fn list(input: ParseStream<'_>) -> syn::Result<Vec<Guard>> {
    let guards = if input.peek(Paren) {
        inside(input)?
    } else {
        vec![input.parse()?]
    };
    refuse_operator(input)?;
    Ok(guards)
}

impl Parse for Guard {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![!]) {
            return Err(input.error("expected a condition; write `not(…)`"));
        }
        let guard = if input.peek(Paren) {
            Self::All(inside(input)?)
        } else if input.peek(Ident) && input.peek2(Paren) {
            Self::parse_operator(input)?
        } else {
            let path: TypePath = input.parse()?;
            if input.peek(Paren) {
                return Err(no_operator(&path));
            }
            Self::Of(path)
        };
        refuse_operator(input)?;
        Ok(guard)
    }
}

impl Guard {
    /// Calls `visit` with all that is asked, in the order of the source.
    pub(crate) fn for_each_leaf(&self, visit: &mut impl FnMut(&Self)) {
        match self {
            Self::Of(_) | Self::Is(..) => visit(self),
            Self::Not(guard) => guard.for_each_leaf(visit),
            Self::All(guards) | Self::Any(guards) => {
                for guard in guards {
                    guard.for_each_leaf(visit);
                }
            }
        }
    }

    /// Where a leaf begins and ends.
    pub(crate) fn ends(&self) -> (Span, Span) {
        match self {
            Self::Is(selector, branch) => ends(&quote!(#selector #branch)),
            Self::Of(condition) => ends(&condition.to_token_stream()),
            Self::Not(_) | Self::All(_) | Self::Any(_) => ends(&TokenStream::new()),
        }
    }

    /// `name(…)`.
    fn parse_operator(input: ParseStream<'_>) -> syn::Result<Self> {
        let operator: Ident = input.parse()?;
        match operator.to_string().as_str() {
            "not" => {
                let guards = inside(input)?;
                let [guard] = guards.as_slice() else {
                    let message = "`not` takes one condition; of several, write `not(and(…))` or `not(or(…))`";
                    return Err(Error::new_spanned(operator, message));
                };
                Ok(Self::Not(Box::new(guard.clone())))
            }
            "and" => Ok(Self::All(at_least_one(&operator, input)?)),
            "or" => Ok(Self::Any(at_least_one(&operator, input)?)),
            "is" => Self::parse_is(&operator, input),
            _ => Err(no_operator(&operator)),
        }
    }

    fn parse_is(operator: &Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        let inside;
        parenthesized!(inside in input);
        let too_few = || {
            let message = "`is` takes a selector and a branch, as in `is(gait, Gait::Run)`";
            Error::new_spanned(operator, message)
        };
        if inside.is_empty() {
            return Err(too_few());
        }
        let selector = inside.parse()?;
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
        if inside.is_empty() {
            return Err(too_few());
        }
        if !(inside.peek(Ident::peek_any) || inside.peek(Token![::]) || inside.peek(Token![<])) {
            return Err(inside.error("expected a branch, as `Gait::Run`"));
        }
        let branch = inside.parse()?;
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
        if !inside.is_empty() {
            return Err(inside.error("`is` takes one branch; of several, write `or(is(…), is(…))`"));
        }
        Ok(Self::Is(selector, branch))
    }
}

/// What stands in brackets.
fn inside(input: ParseStream<'_>) -> syn::Result<Vec<Guard>> {
    let inside;
    parenthesized!(inside in input);
    let guards = Punctuated::<Guard, Token![,]>::parse_terminated(&inside)?;
    Ok(guards.into_iter().collect())
}

fn at_least_one(operator: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Guard>> {
    let guards = inside(input)?;
    if guards.is_empty() {
        let message = format!("`{operator}` takes at least one condition");
        return Err(Error::new_spanned(operator, message));
    }
    Ok(guards)
}

fn no_operator(name: &impl ToTokens) -> Error {
    let shown = name.to_token_stream().to_string().replace(' ', "");
    let message =
        format!("`{shown}` takes nothing in brackets; only `not`, `and`, `or` and `is` do");
    Error::new_spanned(name, message)
}

/// What would follow a condition in an expression.
fn refuse_operator(input: ParseStream<'_>) -> syn::Result<()> {
    let remedy = if input.peek(Token![&&]) || input.peek(Token![&]) {
        "and(one, other)"
    } else if input.peek(Token![||]) || input.peek(Token![|]) {
        "or(one, other)"
    } else if input.peek(Token![==]) {
        "is(selector, branch)"
    } else if input.peek(Token![!=]) {
        "not(is(selector, branch))"
    } else {
        return Ok(());
    };
    Err(input.error(format_args!("expected `,`; write `{remedy}`")))
}

/// The constant that a guard is; `leaf` makes what is asked.
pub(crate) fn guard(guard: &Guard, leaf: impl Fn(&Guard) -> TokenStream + Copy) -> TokenStream {
    let all = |guards: &[Guard]| {
        let guards = guards.iter().map(|one| self::guard(one, leaf));
        quote!(&[#(#guards),*])
    };
    match guard {
        Guard::Of(_) | Guard::Is(..) => leaf(guard),
        Guard::Not(inner) => {
            let inner = self::guard(inner, leaf);
            quote!(__schedule::Guard::Not(&#inner))
        }
        Guard::All(guards) => {
            let guards = all(guards);
            quote!(__schedule::Guard::All(#guards))
        }
        Guard::Any(guards) => {
            let guards = all(guards);
            quote!(__schedule::Guard::Any(#guards))
        }
    }
}

/// The call that makes a leaf; that the system answers so is refused apart. `meant` is the type that a path stands for.
pub(crate) fn unasked<'a>(
    leaf: &'a Guard,
    meant: impl FnOnce(&'a TypePath) -> &'a TypePath,
) -> TokenStream {
    let (Guard::Of(path) | Guard::Is(path, _)) = leaf else {
        return quote!();
    };
    let (first, last) = ends(&path.to_token_stream());
    let of = meant(path);
    let open = quote_spanned!(first=> __schedule::Guard::unasked::<);
    match leaf {
        Guard::Is(_, branch) => {
            let (first, last) = ends(&branch.to_token_stream());
            let of_type = quote_spanned!(first=> , _>);
            let arguments = quote_spanned!(last=> (#branch, #branch as __schedule::BranchIndex));
            quote!(#open #of #of_type #arguments)
        }
        _ => {
            let close = quote_spanned!(last=> , _>(true, 1));
            quote!(#open #of #close)
        }
    }
}
