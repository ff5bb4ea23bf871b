//! Nothing: this package is its bench.
