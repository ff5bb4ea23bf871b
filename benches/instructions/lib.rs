//! Empty: this package only contains a bench.
