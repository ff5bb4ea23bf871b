use schedule::prelude::*;

mod combat {
    use schedule::prelude::*;

    #[system]
    fn poison() {}
}

fn main() {
    Schedule::builder().add::<combat::poison>();
}
