//! What the option `if` says.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{Error, ExprPath, Ident, Token, TypePath, parenthesized};

/// What has to hold for a system to run.
#[derive(Clone)]
pub(super) enum Guard {
    /// A condition is true.
    Of(TypePath),
    /// A selector answers a branch.
    Is(TypePath, ExprPath),
    Not(Box<Guard>),
    All(Vec<Guard>),
    Any(Vec<Guard>),
}

/// One, or several in brackets: all of these have to hold.
pub(super) fn list(input: ParseStream<'_>) -> syn::Result<Vec<Guard>> {
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
    pub(super) fn for_each_leaf(&self, visit: &mut impl FnMut(&Self)) {
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
