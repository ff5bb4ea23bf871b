//! A generic spanning group writes only what its signature takes by `&mut`.

use schedule::prelude::*;
use schedule::spanning::{Spanning, results};

#[derive(Resource, Clone)]
struct Map<T>(T);

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn search(path: &mut Path) {
    path.0.clear();
}

schedule! {
    Planning { search }
}

#[system(spanning = Planning)]
fn plan<T: Clone + Send + Sync>(map: &Map<T>, path: &Path);

fn main() {
    let _ = Schedule::builder().add::<plan<u32>>().add::<results<plan<u32>>>();
    let _ = Spanning::<plan<u32>>::new();
}

//~ remedy
//~ - fn plan<T: Clone + Send + Sync>(map: &Map<T>, path: &Path);
//~ + fn plan<T: Clone + Send + Sync>(map: &Map<T>, path: &mut Path);
