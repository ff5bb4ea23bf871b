//! Columns that systems swap with their buffers, compared with an interpreter, on all executors.

use proptest::prelude::*;
use schedule::columns::{Buffer, ColumnMut, ColumnRef, Columns};
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::{Builder, Policy};

use schedule_tests::on::On;

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
struct Heat(i64);

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
struct Color(i64);

#[derive(Columns, Clone, Copy, Debug, PartialEq)]
struct Cell {
    heat: Heat,
    next: Buffer<Heat>,
    color: Color,
}

#[system(for_each = Columns<Cell>)]
fn compute(heat: &Heat, next: &mut Buffer<Heat>, color: &Color) {
    next.0.0 = (heat.0 * 3 + color.0) % 1_000;
}

#[system(for_each = Columns<Cell>)]
fn cool(heat: &mut Heat) {
    heat.0 -= 1;
}

#[system(for_each = Columns<Cell>)]
fn fade(color: &mut Color) {
    color.0 = (color.0 * 5 + 2) % 1_000;
}

/// Accesses the colors of cells with heat, so it can run while the heat is swapped.
#[system(for_each = Columns<Cell>, with = (Heat, Buffer<Heat>))]
fn brighten(color: &mut Color) {
    color.0 += 1;
}

#[system]
fn spread(heats: ColumnRef<Cell, Heat>, mut next: ColumnMut<Cell, Buffer<Heat>>) {
    for (pair, next) in heats.windows(2).zip(&mut next) {
        next.0.0 = (pair[0].0 + pair[1].0) / 2;
    }
}

#[system]
fn swap(mut heats: ColumnMut<Cell, Heat>, mut next: ColumnMut<Cell, Buffer<Heat>>) {
    ColumnMut::swap(&mut heats, &mut next);
    // The parameters have the swapped values.
    if let (Some(heat), Some(next)) = (heats.first_mut(), next.last_mut()) {
        heat.0 += 7;
        next.0.0 -= 7;
    }
}

#[system]
fn swap_twice(mut heats: ColumnMut<Cell, Heat>, mut next: ColumnMut<Cell, Buffer<Heat>>) {
    ColumnMut::swap(&mut heats, &mut next);
    ColumnMut::swap(&mut heats, &mut next);
}

#[system]
fn split(heats: ColumnRef<Cell, Heat>, mut commands: Commands) {
    if let Some(heat) = heats.first() {
        commands.columns().despawn(heats.ids()[0]);
        commands.columns().spawn_batch([cell(heat.0), cell(1)]);
    }
}

fn cell(heat: i64) -> Cell {
    Cell {
        heat: Heat(heat),
        next: Buffer(Heat(-heat)),
        color: Color(heat % 3),
    }
}

#[derive(Clone, Copy, Debug)]
enum System {
    Compute,
    Cool,
    Fade,
    Brighten,
    Spread,
    Swap,
    SwapTwice,
    Split,
}

impl System {
    /// Swaps are more frequent.
    const ALL: [Self; 10] = [
        Self::Compute,
        Self::Cool,
        Self::Fade,
        Self::Brighten,
        Self::Spread,
        Self::Swap,
        Self::Swap,
        Self::Swap,
        Self::SwapTwice,
        Self::Split,
    ];

    fn add(self, builder: &mut Builder) -> &mut Builder {
        match self {
            Self::Compute => builder.add::<compute>(),
            Self::Cool => builder.add::<cool>(),
            Self::Fade => builder.add::<fade>(),
            Self::Brighten => builder.add::<brighten>(),
            Self::Spread => builder.add::<spread>(),
            Self::Swap => builder.add::<swap>(),
            Self::SwapTwice => builder.add::<swap_twice>(),
            Self::Split => builder.add::<split>(),
        }
    }

    /// Does the same with a list of cells.
    fn interpret(self, cells: &mut [Cell], splits: &mut Vec<i64>) {
        match self {
            Self::Compute => cells
                .iter_mut()
                .for_each(|cell| cell.next.0.0 = (cell.heat.0 * 3 + cell.color.0) % 1_000),
            Self::Cool => cells.iter_mut().for_each(|cell| cell.heat.0 -= 1),
            Self::Fade => cells
                .iter_mut()
                .for_each(|cell| cell.color.0 = (cell.color.0 * 5 + 2) % 1_000),
            Self::Brighten => cells.iter_mut().for_each(|cell| cell.color.0 += 1),
            Self::Spread => {
                for row in 1..cells.len() {
                    cells[row - 1].next.0.0 = (cells[row - 1].heat.0 + cells[row].heat.0) / 2;
                }
            }
            Self::Swap => {
                for cell in cells.iter_mut() {
                    core::mem::swap(&mut cell.heat, &mut cell.next.0);
                }
                if let Some(first) = cells.first_mut() {
                    first.heat.0 += 7;
                }
                if let Some(last) = cells.last_mut() {
                    last.next.0.0 -= 7;
                }
            }
            Self::SwapTwice => {}
            Self::Split => splits.extend(cells.first().map(|cell| cell.heat.0)),
        }
    }
}

/// Applies the commands of `split`: all of them despawn the cell that was the first one.
fn apply(cells: &mut Vec<Cell>, splits: &[i64]) {
    for (nth, heat) in splits.iter().enumerate() {
        if nth == 0 {
            cells.swap_remove(0);
        }
        cells.extend([cell(*heat), cell(1)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 48 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn swaps_give_the_same_values_on_each_executor(
        systems in prop::collection::vec(prop::sample::select(&System::ALL[..]), 1..12),
        n_cells in prop_oneof![0_i64..40, 600_i64..700],
    ) {
        let n_cells = if cfg!(miri) { n_cells % 40 } else { n_cells };
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        systems.iter().for_each(|system| _ = system.add(&mut builder));
        let mut schedule = builder.build().unwrap();
        for on in On::EACH {
            on.set(&mut schedule);
            let mut expected: Vec<_> = (0..n_cells).map(cell).collect();
            let mut resources = Resources::new();
            resources.insert(Columns::from_iter(expected.iter().copied()));
            for frame in 0..3 {
                on.run(&mut schedule, &mut resources).unwrap();
                let mut splits = Vec::new();
                systems.iter().for_each(|system| system.interpret(&mut expected, &mut splits));
                apply(&mut expected, &splits);
                let cells = resources.get_mut::<Columns<Cell>>().unwrap();
                let (heats, next, colors) = cells.columns_mut::<(&Heat, &Buffer<Heat>, &Color)>();
                let values = heats.iter().zip(&next).zip(&colors);
                let found: Vec<_> = values
                    .map(|((heat, next), color)| Cell { heat: *heat, next: *next, color: *color })
                    .collect();
                prop_assert_eq!(&found, &expected, "{:?}, frame {}", on, frame);
            }
        }
    }
}
