//! Parses the attribute `#[event(…)]`.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Ident, LitStr, Path, Token, Type, TypePath, parse_quote};

use crate::errors::Errors;
use crate::messages;

/// The contents of all `#[event(…)]` attributes at one place.
#[derive(Default)]
pub(super) struct EventOptions {
    pub(super) handler: Option<TypePath>,
    answer: Option<Type>,
    error: Option<Type>,
    krate: Option<Path>,
    /// The options among them that only a type can have.
    pub(super) named: Vec<Ident>,
    /// The first of the attributes.
    pub(super) attribute: Option<Attribute>,
}

impl EventOptions {
    /// Parses all valid options. Adds errors to `errors`.
    pub(super) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("event")) {
            options.attribute.get_or_insert_with(|| attr.clone());
            let result = attr.parse_args_with(|input: ParseStream<'_>| {
                while !input.is_empty() {
                    options.parse_one(input)?;
                    if input.is_empty() {
                        break;
                    }
                    input.parse::<Token![,]>()?;
                }
                Ok(())
            });
            if let Err(error) = result {
                errors.push(error);
            }
        }
        options
    }

    fn parse_one(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if !(input.peek(Ident::peek_any) && input.peek2(Token![=])) {
            if input.peek(LitStr) {
                let text: LitStr = input.parse()?;
                let message = messages::QUOTED_HANDLER;
                return Err(syn::Error::new_spanned(text, message));
            }
            let path: TypePath = input.parse()?;
            let is_second = self.handler.is_some();
            self.handler.get_or_insert(path.clone());
            return if is_second {
                Err(syn::Error::new_spanned(path, messages::TWO_HANDLERS))
            } else {
                Ok(())
            };
        }
        let option = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let is_second = if option == "answer" {
            self.answer.replace(input.parse()?).is_some()
        } else if option == "error" {
            self.error.replace(input.parse()?).is_some()
        } else if option == "crate" {
            let path = input.call(Path::parse_mod_style)?;
            self.krate.replace(path).is_some()
        } else {
            let name = option.to_string();
            let message = messages::unknown_option(Some(&name), messages::EVENT_OPTIONS);
            return Err(syn::Error::new_spanned(option, message));
        };
        self.named.push(option.clone());
        if is_second {
            let message = messages::given_twice(&option);
            Err(syn::Error::new_spanned(option, message))
        } else {
            Ok(())
        }
    }

    /// Returns the types of answers and errors.
    pub(super) fn types(&self) -> [proc_macro2::TokenStream; 2] {
        let answer: Type = parse_quote!(());
        let error: Type = parse_quote!(__schedule::BoxError);
        [
            self.answer.as_ref().unwrap_or(&answer).to_token_stream(),
            self.error.as_ref().unwrap_or(&error).to_token_stream(),
        ]
    }

    pub(super) fn krate(&self) -> Path {
        self.krate
            .clone()
            .unwrap_or_else(|| parse_quote!(::schedule_stream))
    }
}
