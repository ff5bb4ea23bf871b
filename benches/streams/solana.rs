//! The crate `solana-unified-scheduler-logic`, whose keys are the accounts of transactions.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use solana_message::{Message, MessageHeader};
use solana_pubkey::Pubkey;
use solana_runtime_transaction::runtime_transaction::RuntimeTransaction;
use solana_transaction::Transaction;
use solana_unified_scheduler_logic::{Capability, SchedulingStateMachine, Task, UsageQueue};

use crate::batch::Batch;
use crate::entry::{Entry, Key};
use crate::scheduler::Scheduler;

/// Each thread has at most one state machine.
pub(crate) type Machine = Rc<RefCell<SchedulingStateMachine>>;

/// The contender is omitted with more cells, because each queue takes 2 kB from the start.
const MOST_CELLS: usize = 150_000;

pub(crate) struct Solana {
    machine: Machine,
    /// The tasks, by position. They are created ahead, like incoming transactions of a ledger.
    tasks: Vec<Task>,
    ready: VecDeque<u32>,
}

/// # Panics
///
/// If this thread already has a state machine.
#[expect(
    unsafe_code,
    reason = "the caller guarantees that the thread has no other state machine"
)]
pub(crate) fn machine() -> Machine {
    // SAFETY: only this thread creates and uses queues and tasks. Workers only get positions.
    let machine = unsafe {
        SchedulingStateMachine::exclusively_initialize_current_thread_for_scheduling(None, None)
    };
    Rc::new(RefCell::new(machine))
}

impl Solana {
    pub(crate) fn new(batch: &Batch, machine: &Machine) -> Option<Self> {
        if batch.opening.len() > MOST_CELLS {
            return None;
        }
        let mut queues: HashMap<Pubkey, UsageQueue> = HashMap::new();
        let mut queue = |of: Pubkey| {
            let new = || UsageQueue::new(&Capability::FifoQueueing);
            queues.entry(of).or_insert_with(new).clone()
        };
        let entries = batch.entries.iter().zip(0..);
        let tasks = entries.map(|(entry, position)| {
            let transaction = transaction(entry, position);
            SchedulingStateMachine::create_task(transaction, position.into(), &mut queue)
        });
        Some(Self {
            machine: Rc::clone(machine),
            tasks: tasks.collect(),
            ready: VecDeque::new(),
        })
    }
}

/// A transaction without instructions. Only its accounts matter.
fn transaction(
    entry: &Entry,
    position: u32,
) -> RuntimeTransaction<solana_transaction::sanitized::SanitizedTransaction> {
    let keys = entry.keys();
    let written = keys.iter().filter(|key| matches!(key, Key::Write(_)));
    let mut account_keys: Vec<Pubkey> = written.map(|key| address(key.cell().into())).collect();
    if account_keys.is_empty() {
        // The account of the payer is written, so no other transaction may use it.
        account_keys.push(address(u64::from(u32::MAX) + 1 + u64::from(position)));
    }
    let n_written = account_keys.len();
    let read = keys.iter().filter(|key| matches!(key, Key::Read(_)));
    account_keys.extend(read.map(|key| address(key.cell().into())));
    let message = Message {
        header: MessageHeader {
            num_required_signatures: 1,
            num_readonly_signed_accounts: 0,
            num_readonly_unsigned_accounts: (account_keys.len() - n_written) as u8,
        },
        account_keys,
        ..Message::default()
    };
    RuntimeTransaction::from_transaction_for_tests(Transaction::new_unsigned(message))
}

fn address(number: u64) -> Pubkey {
    let mut bytes = [1; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Pubkey::new_from_array(bytes)
}

impl Scheduler for Solana {
    fn insert(&mut self, position: u32, _: &Entry) {
        let task = Task::clone(&self.tasks[position as usize]);
        let mut machine = self.machine.borrow_mut();
        let ready = machine.schedule_or_buffer_task(task, false);
        self.ready.extend(ready.map(|task| task.task_id() as u32));
    }

    fn pop(&mut self) -> Option<u32> {
        self.ready.pop_front().or_else(|| {
            let task = self.machine.borrow_mut().schedule_next_unblocked_task()?;
            Some(task.task_id() as u32)
        })
    }

    fn finish(&mut self, position: u32) {
        let task = &self.tasks[position as usize];
        self.machine.borrow_mut().deschedule_task(task);
    }

    fn rest(&mut self) {
        self.machine.borrow_mut().reinitialize();
    }
}
