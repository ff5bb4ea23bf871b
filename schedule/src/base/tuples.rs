//! Implementations of traits for tuples.

/// Calls a macro for each length of a tuple, from 1 to 12. Its arguments are the type parameters and the indices of the
/// elements: `A 0, B 1, C 2`. Other crates of the workspace use it, too.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_tuple {
    ($macro:ident) => {
        $macro!(A 0);
        $macro!(A 0, B 1);
        $macro!(A 0, B 1, C 2);
        $macro!(A 0, B 1, C 2, D 3);
        $macro!(A 0, B 1, C 2, D 3, E 4);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
        $macro!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
    };
}
