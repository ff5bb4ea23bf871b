//! Mistakes in a file of results.

use std::collections::BTreeSet;

use crate::results::Results;
use crate::row::Row;

impl Results {
    /// All of them.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if self.rows.is_empty() {
            mistakes.push("`rows` is empty".to_string());
        }
        let mut seen = BTreeSet::new();
        for (idx, row) in self.rows.iter().enumerate() {
            let mut mistake = |text: String| mistakes.push(format!("row {}: {text}", idx + 1));
            match &row.run {
                None if !self.runs.is_empty() => mistake("`run` is missing".to_string()),
                Some(run) if !self.runs.iter().any(|one| one.name == *run) => {
                    mistake(format!("run `{run}` is not one of `runs`"));
                }
                _ => {}
            }
            if self.role(&row.contender).is_none() {
                let name = &row.contender;
                mistake(format!("contender `{name}` is not one of `contenders`"));
            }
            if row.median().is_none() && row.range().is_none() {
                mistake("it needs `median`, `samples`, or `lowest` and `highest`".to_string());
            }
            if !seen.insert(self.conditions(row)) {
                mistake("an earlier row has the same conditions".to_string());
            }
        }
        let tables = self.tables.iter();
        mistakes.extend(tables.filter_map(|table| table.mistake(self)));
        let bars = self.bars.iter();
        mistakes.extend(bars.filter_map(|bar| bar.mistake(self)));
        mistakes
    }

    fn conditions(&self, row: &Row) -> String {
        let (bench, run, contender) = (&row.bench, &row.run, &row.contender);
        let (parameters, unit) = (&row.parameters, self.unit(row));
        format!("{bench:?} {run:?} {parameters:?} {contender:?} {unit:?}")
    }
}
