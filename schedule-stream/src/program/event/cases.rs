//! The unsafe implementation in the code of `#[derive(Event)]`.
//!
//! Invariant: the number of a case is the index of its recipe, and nothing follows the call of a visitor.

/// Implements `Cases` for a tuple struct with one recipe for each case.
///
/// The derive expands to it, so that paths in the unsafe implementation do not depend on `crate = path`, which can name any module.
#[doc(hidden)]
#[macro_export]
macro_rules! __cases {
    ($event:ident: $cases:ident {}) => {
        // SAFETY: `visit` panics for every event, so it neither returns nor accesses an event after a visit.
        unsafe impl $crate::__private::Cases<$event> for $cases {
            fn stores(&self, _: &mut $crate::__private::Stores) {}

            fn visit<V: $crate::__private::Visitor<$event>>(&self, _: &$event, _: V) -> V::Output {
                $crate::__private::core::unreachable!()
            }
        }
    };
    ($event:ident: $cases:ident {
        $($nth:tt $recipe:ident: { $($bound:tt)* } $pattern:pat => $value:ident, $take:ident, $into_handled:ident;)+
    }) => {
        const _: () = {
            let all: &[$crate::__private::core::primitive::usize] = &[$($nth),+];
            let mut nth = 0;
            while nth < all.len() {
                $crate::__private::core::assert!(all[nth] == nth, "cases are numbered in order");
                nth += 1;
            }
        };

        #[automatically_derived]
        // SAFETY: `visit` only matches the event and calls the visitor in the arm of its case, with nothing after the call. The
        // number of a case is that of its recipe, which `stores` adds in this order.
        unsafe impl<$($recipe),+> $crate::__private::Cases<$event> for $cases<$($recipe),+>
        where
            $($recipe: $($bound)*,)+
        {
            fn stores(&self, stores: &mut $crate::__private::Stores) {
                $(stores.add(&self.$nth);)+
            }

            #[inline(always)]
            fn visit<V: $crate::__private::Visitor<$event>>(
                &self,
                event: &$event,
                visitor: V,
            ) -> V::Output {
                match event {
                    $($pattern => {
                        let $value = $take($value);
                        visitor.visit($crate::__private::EventCase::new(
                            $nth,
                            &self.$nth,
                            $value,
                            $into_handled,
                        ))
                    })+
                }
            }
        }
    };
}
