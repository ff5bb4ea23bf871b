//! `schedule!`.

mod ahead;
mod analyse;
mod expand;
mod mentioned;
mod parse;
mod syntax;

#[cfg(test)]
mod tests;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::Path;
use syn::parse::{ParseStream, Parser};

use self::syntax::Declared;
use crate::cfg::{self, Conditional, List};
use crate::errors::Errors;
use crate::fallback;
use crate::spans::{self, quote};

pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    spans::for_call(&tokens.clone(), || expand_call(tokens))
}

fn expand_call(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let (tokens, conditional) = match cfg_of_entries(tokens, &mut errors) {
        Ok(conditional) => (conditional.all.clone(), Some(conditional)),
        Err(tokens) => (tokens, None),
    };
    let mut declared = None;
    let parse = |input: ParseStream<'_>| {
        match Declared::parse(input, &mut errors) {
            Ok(parsed) => declared = Some(parsed),
            Err(error) => errors.push(error),
        }
        Ok(())
    };
    // Skipped tokens are already reported. The parser would report them as unexpected tokens, too.
    let _ = parse.parse2(tokens);
    let Some(declared) = declared else {
        // Without a name, there is no replacement.
        return errors
            .finish()
            .map_or_else(|error| fallback::errors(&error), |()| TokenStream::new());
    };
    if let Some(conditional) = conditional
        && errors.n_found() == 0
    {
        return under_cfg(&conditional, &declared.krate);
    }
    match analyse::analyse(&declared, errors) {
        Ok(schedule) => expand::expand(&declared, &schedule),
        Err(error) => expand::stand_in(&declared, &error),
    }
}

/// Splits the schedule at the first `#[cfg(…)]` in its block. An attribute before the name applies to the whole schedule.
fn cfg_of_entries(tokens: TokenStream, errors: &mut Errors) -> Result<Conditional, TokenStream> {
    let is_block = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    if !cfg::has_attributes(&tokens) {
        return Err(tokens);
    }
    let mut trees: Vec<_> = tokens.into_iter().collect();
    let Some(idx) = trees.iter().position(is_block) else {
        return Err(trees.into_iter().collect());
    };
    let behind: Vec<_> = trees.drain(idx + 1..).collect();
    let Some(TokenTree::Group(block)) = trees.pop() else {
        unreachable!("found at this place");
    };
    let with = |entries: TokenStream| -> TokenStream {
        let mut replaced = Group::new(Delimiter::Brace, entries);
        replaced.set_span(block.span());
        let block = [TokenTree::Group(replaced)];
        let trees = trees.iter().cloned().chain(block);
        trees.chain(behind.iter().cloned()).collect()
    };
    match cfg::split(block.stream(), List::Entries, errors) {
        Ok(conditional) => Ok(Conditional {
            predicate: conditional.predicate,
            on: with(conditional.on),
            off: with(conditional.off),
            all: with(conditional.all),
        }),
        Err(entries) => Err(with(entries)),
    }
}

/// Returns the schedule of both cases.
fn under_cfg(conditional: &Conditional, krate: &Path) -> TokenStream {
    let Conditional {
        predicate, on, off, ..
    } = conditional;
    quote! {
        #[cfg(#predicate)]
        #krate::__private::schedule! { #on }
        #[cfg(not(#predicate))]
        #krate::__private::schedule! { #off }
    }
}
