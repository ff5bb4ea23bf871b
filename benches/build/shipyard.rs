//! `shipyard`: systems that conflict run in insertion order.
#![expect(unsafe_code, reason = "a view reports its borrows manually")]

use core::cell::RefCell;
use std::time::Instant;

use benches::random_graph::{RandomGraph, System};
use shipyard::advanced::StorageId;
use shipyard::borrow::{BorrowInfo, Mutability};
use shipyard::scheduler::info::TypeInfo;
use shipyard::{EntitiesView, Workload, WorldBorrow};

use crate::contender::Times;

thread_local! {
    /// The accesses of the next added system. Views report accesses by their type only.
    static NEXT: RefCell<Vec<TypeInfo>> = const { RefCell::new(Vec::new()) };
}

/// A view that reports the accesses in [`NEXT`]. Systems with this view are never run.
#[derive(WorldBorrow)]
struct Next<'v> {
    _entities: EntitiesView<'v>,
}

// SAFETY: the view borrows nothing, so the reported accesses include all borrows.
unsafe impl BorrowInfo for Next<'_> {
    fn borrow_info(info: &mut Vec<TypeInfo>) {
        NEXT.with_borrow(|next| info.extend_from_slice(next));
    }

    fn enable_tracking(
        _: &mut Vec<
            for<'a> fn(
                &'a shipyard::all_storages::AllStorages,
            ) -> Result<(), shipyard::error::GetStorage>,
        >,
    ) {
    }
}

fn system(_: Next<'_>) {}

pub(crate) fn build(graph: &RandomGraph) -> Times {
    let start = Instant::now();
    let mut workload = Workload::new("graph");
    for touched in &graph.systems {
        NEXT.set(infos(graph, touched));
        workload = workload.with_system(system);
    }
    let built_from = Instant::now();
    let built = workload.build();
    let end = Instant::now();
    assert!(built.is_ok(), "the graph has no orders that contradict");
    Times {
        build: end - built_from,
        whole: end - start,
    }
}

fn infos(graph: &RandomGraph, touched: &System) -> Vec<TypeInfo> {
    let info = |resource: usize, mutability| TypeInfo {
        name: graph.resources[resource].clone().into(),
        mutability,
        storage_id: StorageId::Custom(resource as u64),
        thread_safe: true,
    };
    let [first, second] = touched
        .reads
        .map(|resource| info(resource, Mutability::Shared));
    vec![first, second, info(touched.writes, Mutability::Exclusive)]
}
