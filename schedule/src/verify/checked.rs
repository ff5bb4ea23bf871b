//! The verifier behind `schedule!`, for const evaluation.
//!
//! This module is the front end of `schedule!`. It converts the identities of a listing to numbers (`draft`, `lower`, `uses`, `rules`). It
//! converts faults to messages at the token to change (`text`). The const functions of `schedule-graph`, which the builder also calls,
//! verify the numbers.
//!
//! Const evaluation has no heap, so all memory is counted before it is taken. [`Sizes`] is the maximum memory that a listing takes.

mod counts;
mod draft;
mod fault;
mod group_failures;
mod group_rules;
mod lower;
mod memory;
mod named;
mod node;
mod race_group;
mod races;
mod rules;
mod size;
mod text;
mod uses;

use schedule_graph::internal::{
    Arena, Condition, Everything, GroupRule, Item, Kind, Leaf, Member, Needed, Order, Pool,
    RunKind, Token, Use,
};
use schedule_graph::{Edge, Policy};

use self::fault::ListingFault;
use self::lower::{Memories, verify_entries};
use self::memory::CheckMemory;
use self::node::{ClauseRef, DraftNode, Spot};
use self::race_group::RaceGroup;
pub use self::size::Sizes;
use self::text::FaultWriter;
use crate::base::text::Text;
use crate::data::access::{Filter, ResourceType};
use crate::declare::listing::Listing;
use crate::systems::system::Answered;

/// The faults of a listing, each at the token to change.
#[derive(Clone, Copy)]
pub struct Verdict {
    /// One text for each token with a fault.
    texts: [Text; Self::MAX],
    /// `spots[t]`: the token of text t.
    spots: [Spot; Self::MAX],
    n_texts: usize,
}

impl Verdict {
    /// Maximum number of tokens that report faults.
    const MAX: usize = 48;

    /// Maximum number of faults in the text of one token. The text ends with the number of remaining faults.
    const MAX_AT_ONE: i128 = 4;

    /// Reports the faults at a token, as an error of const evaluation.
    ///
    /// `entry`: index of the entry; rules follow the entries. `clause`: 0 for the subject of the entry, else the number of
    /// the clause, from 1. `leaf`: index of the leaf in a guard.
    ///
    /// # Panics
    ///
    /// If there is a fault at this token.
    #[track_caller]
    pub const fn report(&self, entry: u32, clause: u32, leaf: u32) {
        let spot = Spot {
            entry,
            clause,
            leaf,
        };
        let mut idx = 0;
        while idx < self.n_texts {
            if self.spots[idx].is(spot) {
                panic!("{}", self.texts[idx].as_str());
            }
            idx += 1;
        }
    }

    /// Returns the listing that was verified, with its faults. A schedule that includes it does not report them again.
    pub const fn with_reported(&'static self, listing: &Listing) -> Listing {
        Listing {
            reported: self.texts(),
            ..*listing
        }
    }

    const fn texts(&self) -> &[Text] {
        self.texts.split_at(self.n_texts).0
    }
}

impl core::fmt::Debug for Verdict {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.texts().fmt(f)
    }
}

/// Verifies a listing, with memory of its [`Sizes`].
pub const fn verify<
    const WORDS: usize,
    const BLOCKS: usize,
    const EDGES: usize,
    const USES: usize,
    const NEEDED: usize,
    const NODES: usize,
    const CLAUSES: usize,
>(
    listing: &Listing,
    sizes: Sizes,
) -> Verdict {
    let mut blank = Blank::<WORDS, BLOCKS, EDGES, USES, NEEDED, NODES, CLAUSES>::new();
    let memory = blank.memory();
    let mut verdict = Verdict {
        texts: [Text::new(); Verdict::MAX],
        spots: [Spot::NONE; Verdict::MAX],
        n_texts: 0,
    };
    check(listing, sizes, memory, &mut verdict);
    verdict
}

/// Returns the innermost plugin that contains a place, or 0 if no plugin does.
const fn plugin(listing: &Listing, spot: Spot) -> u32 {
    let n_entries = listing.entries.len();
    let entry = spot.entry as usize;
    if entry < n_entries {
        listing.entries[entry].plugin
    } else {
        listing.rules[entry - n_entries].plugin
    }
}

/// Returns the token of the listing at which a fault is reported. A fault in a plugin is reported at the token that includes the plugin.
const fn token(listing: &Listing, spot: Spot) -> Spot {
    if listing.plugins.is_empty() {
        return spot;
    }
    let n_entries = listing.entries.len();
    let entry = spot.entry as usize;
    let plugin = plugin(listing, spot);
    if plugin > 0 {
        return Spot::of_entry(listing.own_number(listing.outermost(plugin)));
    }
    let entry = if entry < n_entries {
        listing.own_number(spot.entry)
    } else {
        listing.n_own + (entry - n_entries) as u32
    };
    Spot { entry, ..spot }
}

/// Unused memory.
struct Blank<
    const WORDS: usize,
    const BLOCKS: usize,
    const EDGES: usize,
    const USES: usize,
    const NEEDED: usize,
    const NODES: usize,
    const CLAUSES: usize,
> {
    words: [u32; WORDS],
    blocks: [usize; BLOCKS],
    edges: [Edge; EDGES],
    uses: [Use; USES],
    needed: [Needed; NEEDED],
    nodes: [DraftNode; NODES],
    kinds: [Kind; NODES],
    everything: [Everything; NODES],
    runs: [RunKind; NODES],
    resources: [ResourceType; NODES],
    filters: [Option<&'static Filter>; NODES],
    is_bound: [bool; NODES],
    policies: [Option<Policy>; NODES],
    clauses: [ClauseRef; CLAUSES],
    members: [Member; CLAUSES],
    orders: [Order; CLAUSES],
    guards: [(Item, u32); CLAUSES],
    leaves: [Leaf; CLAUSES],
    sources: [Option<&'static Answered>; CLAUSES],
    conditions: [Condition; CLAUSES],
    tokens: [Token; CLAUSES],
    pairs: [(u32, u32, Policy); CLAUSES],
    group_rules: [GroupRule; CLAUSES],
}

impl<
    const WORDS: usize,
    const BLOCKS: usize,
    const EDGES: usize,
    const USES: usize,
    const NEEDED: usize,
    const NODES: usize,
    const CLAUSES: usize,
> Blank<WORDS, BLOCKS, EDGES, USES, NEEDED, NODES, CLAUSES>
{
    /// Not a constant, because the compiler would store the constant.
    const fn new() -> Self {
        Self {
            words: [0; WORDS],
            blocks: [0; BLOCKS],
            edges: [Edge { from: 0, to: 0 }; EDGES],
            uses: [Use::NONE; USES],
            needed: [Needed::NONE; NEEDED],
            nodes: [DraftNode::BLANK; NODES],
            kinds: [Kind::Removed; NODES],
            everything: [Everything::NONE; NODES],
            runs: [RunKind::Nothing; NODES],
            resources: [ResourceType::BLANK; NODES],
            filters: [None; NODES],
            is_bound: [false; NODES],
            policies: [None; NODES],
            clauses: [ClauseRef::BLANK; CLAUSES],
            members: [Member::NONE; CLAUSES],
            orders: [Order::NONE; CLAUSES],
            guards: [(Item::Node(0), 0); CLAUSES],
            leaves: [Leaf::NONE; CLAUSES],
            sources: [None; CLAUSES],
            conditions: [Condition::NONE; CLAUSES],
            tokens: [Token::Leaf; CLAUSES],
            pairs: [(0, 0, Policy::Reject); CLAUSES],
            group_rules: [GroupRule::BLANK; CLAUSES],
        }
    }

    const fn memory(&mut self) -> CheckMemory<'_> {
        CheckMemory {
            arena: Arena::new(
                &mut self.words,
                &mut self.blocks,
                &mut self.edges,
                &mut self.uses,
                &mut self.needed,
            ),
            nodes: Pool::new(&mut self.nodes),
            clauses: Pool::new(&mut self.clauses),
            kinds: Pool::new(&mut self.kinds),
            members: Pool::new(&mut self.members),
            orders: Pool::new(&mut self.orders),
            guards: Pool::new(&mut self.guards),
            leaves: Pool::new(&mut self.leaves),
            sources: Pool::new(&mut self.sources),
            conditions: Pool::new(&mut self.conditions),
            tokens: Pool::new(&mut self.tokens),
            everything: Pool::new(&mut self.everything),
            runs: Pool::new(&mut self.runs),
            resources: Pool::new(&mut self.resources),
            filters: Pool::new(&mut self.filters),
            is_bound: Pool::new(&mut self.is_bound),
            policies: Pool::new(&mut self.policies),
            pairs: Pool::new(&mut self.pairs),
            group_rules: Pool::new(&mut self.group_rules),
        }
    }
}

const fn check<'a>(
    listing: &'a Listing,
    sizes: Sizes,
    mut memory: CheckMemory<'a>,
    verdict: &mut Verdict,
) {
    if listing.is_rejected {
        // A rejected listing is incomplete, so most faults would be about missing entries.
        return;
    }
    let memories = Memories::take(&mut memory, listing, sizes.counts());
    let checked = verify_entries(listing, memories);
    let faults = checked.draft.faults.kept();
    let writer = FaultWriter::new(&checked);
    // n_at[t]: number of faults at the token of text t.
    let mut n_at = [0; Verdict::MAX];
    let mut n_reported = 0;
    let mut idx = 0;
    while idx < faults.len() {
        let fault = &faults[idx];
        let many = checked.many(fault, idx);
        idx += 1;
        let (n_faults, spot) = match many {
            None => (1, fault.spot),
            // The first race of a group of races reports all of them.
            Some(many) if !many.is_first => continue,
            Some(many) => (many.n_pairs, checked.spot_of_many(many, fault)),
        };
        let plugin = plugin(listing, spot);
        if plugin > 0
            && listing.is_reported(plugin, &text_of(writer, Text::new(), fault, many, faults))
        {
            // The plugin itself reports this fault.
            n_reported += n_faults;
            continue;
        }
        let spot = token(listing, spot);
        let mut at = 0;
        while at < verdict.n_texts && !verdict.spots[at].is(spot) {
            at += 1;
        }
        if at < Verdict::MAX {
            n_reported += n_faults;
            n_at[at] += 1;
            if n_at[at] <= Verdict::MAX_AT_ONE {
                let mut text = verdict.texts[at];
                if at == verdict.n_texts {
                    verdict.n_texts += 1;
                } else {
                    text = text.str("\n");
                }
                verdict.texts[at] = text_of(writer, text, fault, many, faults);
                verdict.spots[at] = spot;
            }
        }
    }
    let mut at = 0;
    while at < verdict.n_texts {
        if n_at[at] > Verdict::MAX_AT_ONE {
            let n_more = n_at[at] - Verdict::MAX_AT_ONE;
            let text = &mut verdict.texts[at];
            *text = writer.write_more_at_token(text.str("\n"), n_more);
        }
        at += 1;
    }
    let n_left = checked.draft.faults.n_found() - n_reported;
    if n_left > 0 && verdict.n_texts > 0 {
        let text = &mut verdict.texts[verdict.n_texts - 1];
        *text = writer.write_more_in_schedule(text.str("\n"), n_left as i128);
    }
}

/// Adds the text of a fault, or of several races.
const fn text_of(
    writer: FaultWriter<'_, '_>,
    text: Text,
    fault: &ListingFault,
    many: Option<RaceGroup>,
    faults: &[ListingFault],
) -> Text {
    match many {
        None => writer.write(text, fault),
        Some(many) => writer.races(text, many, faults),
    }
}

#[cfg(test)]
mod tests;
