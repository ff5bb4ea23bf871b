//! Workers in network namespaces, whose links fail: the outcomes and the state stay those of one process.
//!
//! Each worker has a namespace with one link to a bridge, where the supervisor is. The faults need only the drivers `veth`, `bridge`
//! and `tbf`: a link that is down, one that loses all packets in one direction (a wrong hardware address), and one that is slow
//! and loses packets because its queue is short.

use std::process::{self, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::kills::{Plan, compare};
use super::support::cluster;

const N_WORKERS: usize = 2;

/// A bridge, and a namespace for each worker. Removed at the end.
struct Network {
    /// Begins the names.
    name: String,
}

impl Network {
    /// Creates the network. `None` without the rights or the tools.
    fn new() -> Option<Self> {
        let network = Self {
            name: format!("s{}", process::id()),
        };
        network.create().then_some(network)
    }

    fn create(&self) -> bool {
        let bridge = &self.name;
        ip(&format!("link add {bridge} type bridge"))
            && ip(&format!("address add 10.77.0.1/24 dev {bridge}"))
            && ip(&format!("link set {bridge} up"))
            && (0..N_WORKERS).all(|worker| {
                let (space, outside) = (self.space(worker), self.outside(worker));
                ip(&format!("netns add {space}"))
                    && ip(&format!(
                        "link add {outside} type veth peer name inside netns {space}"
                    ))
                    && ip(&format!("link set {outside} master {bridge} up"))
                    && ip(&format!(
                        "-n {space} address add 10.77.0.{}/24 dev inside",
                        worker + 2
                    ))
                    && ip(&format!("-n {space} link set inside up"))
                    && ip(&format!("-n {space} link set lo up"))
            })
    }

    fn space(&self, worker: usize) -> String {
        format!("{}w{worker}", self.name)
    }

    fn outside(&self, worker: usize) -> String {
        format!("{}v{worker}", self.name)
    }

    /// Both directions of a link are down.
    fn cut(&self, worker: usize, is_cut: bool) {
        let state = if is_cut { "down" } else { "up" };
        assert!(ip(&format!("link set {} {state}", self.outside(worker))));
    }

    /// Packets of a worker to the supervisor are lost. Those to the worker arrive.
    fn mute(&self, worker: usize, is_mute: bool) {
        let space = self.space(worker);
        let entry = "neigh replace 10.77.0.1 lladdr 02:00:00:00:00:99 dev inside nud permanent";
        if is_mute {
            assert!(ip(&format!("-n {space} {entry}")))
        } else {
            assert!(ip(&format!("-n {space} neigh del 10.77.0.1 dev inside")))
        }
    }

    /// A link of 8 MBit/s, whose queue holds about ten packets.
    fn slow(&self, worker: usize, is_slow: bool) {
        let outside = self.outside(worker);
        if is_slow {
            assert!(run(
                "tc",
                &format!("qdisc add dev {outside} root tbf rate 8mbit burst 16k limit 16k")
            ))
        } else {
            assert!(run("tc", &format!("qdisc del dev {outside} root")))
        }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for worker in 0..N_WORKERS {
            ip(&format!("netns del {}", self.space(worker)));
            ip(&format!("link del {}", self.outside(worker)));
        }
        ip(&format!("link del {}", self.name));
    }
}

fn run(program: &str, arguments: &str) -> bool {
    let mut command = Command::new(program);
    let command = command.args(arguments.split(' ')).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn ip(arguments: &str) -> bool {
    run("ip", arguments)
}

#[test]
fn links_of_workers_can_fail() {
    let Some(network) = Network::new() else {
        assert!(
            std::env::var_os("REQUIRE_ALL").is_none(),
            "network namespaces cannot be created"
        );
        eprintln!("skipped: network namespaces cannot be created");
        return;
    };
    type Fault = (&'static str, fn(&Network, usize, bool), u64);
    let faults: [Fault; 3] = [
        ("cut", Network::cut, 1_500),
        ("mute", Network::mute, 1_500),
        ("slow", Network::slow, 400),
    ];
    for (seed, (name, fault, millis)) in (40..).zip(faults) {
        eprintln!("fault: {name}");
        let spaces: Vec<_> = (0..N_WORKERS).map(|worker| network.space(worker)).collect();
        let workers = cluster(N_WORKERS)
            .address([10, 77, 0, 1].into())
            .progress_limit(Duration::from_secs(6))
            .command(move |worker| {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", &spaces[worker]]);
                command.arg(env!("CARGO_BIN_EXE_cluster-process"));
                command
            });
        let plan = Plan {
            seed,
            n_rounds: 3,
            must_fail: name != "slow",
        };
        compare(plan, workers, |random, _| {
            thread::sleep(Duration::from_millis(200 + random.below(300)));
            let worker = random.below(N_WORKERS as u64) as usize;
            fault(&network, worker, true);
            thread::sleep(Duration::from_millis(millis));
            fault(&network, worker, false);
            thread::sleep(Duration::from_secs(2));
        });
    }
}
