//! The compiler and the compiled crates of the executable that calls the macro of this crate.

use std::env;

use proc_macro::{Literal, TokenStream, TokenTree};

/// Expands to a string: the path of the compiler that compiles this call, and its arguments that name compiled crates
/// (`--extern` and `-L`). Each is on a line of its own.
///
/// Cargo passes them only on the command line of the compiler. A macro runs in the process of the compiler, so it can read them
/// there. A test can then compile further programs with exactly these crates, and does not compile any dependency again.
#[proc_macro]
pub fn compiler_with_externs(_: TokenStream) -> TokenStream {
    let compiler = env::current_exe().expect("the compiler has a path");
    let mut lines = vec![compiler.display().to_string()];
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--extern" || argument == "-L" {
            lines.push(argument);
            lines.extend(arguments.next());
        }
    }
    TokenTree::from(Literal::string(&lines.join("\n"))).into()
}
