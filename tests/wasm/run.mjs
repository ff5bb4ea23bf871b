// Calls each case of the module in a process of its own, with a time limit: `node run.mjs MODULE.wasm`.
// A case whose name begins with `trap_` must panic with the message that is given here.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [path, only] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(path));
const exported = WebAssembly.Module.exports(module).map((item) => item.name);
const cases = exported.filter((name) => /^(case|trap)_/.test(name));
const messages = { trap_process_arrivals_with_a_producer_left: "would wait forever" };

if (only) {
  let now = 0;
  let memory;
  const host = {
    // Moves on by a millisecond at each call, so that nothing depends on the machine.
    now: () => (now += 1),
    show: (start, len) => {
      const bytes = new Uint8Array(memory.buffer, start, len);
      console.error(new TextDecoder().decode(bytes));
    },
  };
  const instance = new WebAssembly.Instance(module, { host });
  memory = instance.exports.memory;
  instance.exports[only]();
} else {
  if (cases.length === 0) throw new Error(`${path} has no cases`);
  let failed = 0;
  for (const name of cases) {
    const args = [fileURLToPath(import.meta.url), path, name];
    const { status, signal, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 120_000 });
    const message = messages[name];
    const isRight = message ? status === 1 && stderr.includes(message) : status === 0;
    if (!isRight) {
      failed += 1;
      console.error(signal ? `ended by ${signal}` : stderr);
    }
    console.log(`${name} ... ${isRight ? "ok" : "FAILED"}`);
  }
  console.log(`${cases.length} cases, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
