use schedule::Identity;

#[derive(Identity)]
union Health {
    points: u32,
    percent: f32,
}

fn main() {}
