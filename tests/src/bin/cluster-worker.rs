//! The worker process of the tests of clusters.

fn main() {
    schedule_tests::cluster::program().work_if_asked();
    eprintln!("this program is only a worker");
    std::process::exit(2);
}
