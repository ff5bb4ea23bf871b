//! The ids of rows.

use schedule_cluster::owner_of;

use super::{N_CUSTOMERS, N_DISTRICTS, N_ITEMS};
use crate::contender::N_PROCESSES;

/// Assigns ids to rows, so that all rows of a warehouse belong to one of two worker processes.
///
/// A cluster divides records by the hashes of their ids. So each process has a list of the ids that belong to it, and each
/// table gives ids of the list to the rows of its warehouses.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    /// `ids[p]`: the first ids that belong to process p, in increasing order.
    ids: [Vec<u32>; N_PROCESSES as usize],
}

impl Placement {
    /// Finds at least `n` ids for each process.
    fn new(n: usize) -> Self {
        let mut ids = [const { Vec::new() }; N_PROCESSES as usize];
        let mut id = 0;
        while ids.iter().any(|of| of.len() < n) {
            ids[owner_of(&id, N_PROCESSES) as usize].push(id);
            id += 1;
        }
        Self { ids }
    }

    /// Finds ids for all rows before the first transaction, and for `n_added` rows of a table.
    pub(super) fn of_tables(n_warehouses: u32, n_added: usize) -> Self {
        let n_stock = n_warehouses.div_ceil(N_PROCESSES) * N_ITEMS;
        Self::new(n_added.max(n_stock as usize))
    }

    /// Finds ids for the rows of warehouses and districts.
    pub(super) fn of_districts(n_warehouses: u32) -> Self {
        let n_districts = n_warehouses.div_ceil(N_PROCESSES) * N_DISTRICTS;
        Self::new(n_districts as usize)
    }

    pub(super) fn warehouse(&self, warehouse: u32) -> u32 {
        self.row(warehouse, 0, 1)
    }

    pub(super) fn district(&self, warehouse: u32, district: u32) -> u32 {
        self.row(warehouse, district, N_DISTRICTS)
    }

    pub(super) fn customer(&self, warehouse: u32, district: u32, customer: u32) -> u32 {
        let nth = district * N_CUSTOMERS + customer;
        self.row(warehouse, nth, N_DISTRICTS * N_CUSTOMERS)
    }

    pub(super) fn stock(&self, warehouse: u32, item: u32) -> u32 {
        self.row(warehouse, item, N_ITEMS)
    }

    /// Returns the id of a row that is added, by its index among those of this process.
    pub(super) fn added(&self, process: u32, nth: usize) -> u32 {
        self.ids[process as usize][nth]
    }

    /// Returns the id of a row, by its index among the `n` rows of a warehouse.
    fn row(&self, warehouse: u32, nth: u32, n: u32) -> u32 {
        let nth = warehouse / N_PROCESSES * n + nth;
        self.ids[process_of(warehouse) as usize][nth as usize]
    }
}

/// Returns the process to which a warehouse belongs.
pub(super) fn process_of(warehouse: u32) -> u32 {
    warehouse % N_PROCESSES
}
