// SPDX-License-Identifier: Apache-2.0
// How long a command takes from the key press to its last line: `cluster list` from the package and from a clone,
// beside `kubectl get namespaces` on a cluster of the same machine. BENCH_RUNS: how many of each; they take turns, so
// that all meet the same machine.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../scripts/project.ts";
import type { RunFile } from "../src/cli/run-file.ts";
import { findKit } from "../test/kubernetes/find-kit.ts";
import { buildPackage } from "./support/built-package.ts";
import { FlotillaProcess } from "./support/flotilla-process.ts";
import { quantile, reportPromise } from "./support/promise.ts";

const runCount = Number(process.env["BENCH_RUNS"] ?? 20);

/** Issue 12: as long as a person does not notice. */
const budgetMs = 250;

const folder = mkdtempSync(join(tmpdir(), "flotilla-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const packaged = await buildPackage(folder);
const dataDir = join(folder, "data");
const flags = ["--data-dir", dataDir, "--port", "0", "--http-port", "0", "--clusters", "1", "--no-open"];
await using up = new FlotillaProcess({ args: [packaged, "up", ...flags], cwd: folder });
await up.untilSays("Flotilla is ready");
const { kubeconfig } = JSON.parse(readFileSync(join(dataDir, "run.json"), "utf8")) as RunFile;

interface Command {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

const list = ["cluster", "list", "--data-dir", dataDir];
const kubectl = findKit()?.kubectl;
const commands: readonly Command[] = [
  { name: "package", program: process.execPath, args: [packaged, ...list] },
  { name: "clone", program: join(root, "bin/flotilla"), args: list },
  { name: "source", program: process.execPath, args: [join(root, "src/main/flotilla.ts"), ...list] },
  { name: "node", program: process.execPath, args: ["-e", "0"] },
  ...(kubectl === undefined
    ? []
    : [{ name: "kubectl", program: kubectl, args: ["--kubeconfig", kubeconfig, "get", "namespaces"] }]),
];

/** How long each command took, in the order of the runs; the first of each, which fills caches, is left out. */
const tookMs = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
for (let run = 0; run <= runCount; run += 1)
  for (const { name, program, args } of commands) {
    const startedMs = performance.now();
    const { status, stderr } = spawnSync(program, [...args], { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
    if (run > 0) tookMs.get(name)?.push(performance.now() - startedMs);
  }

const medianOf = (name: string): number =>
  quantile(
    (tookMs.get(name) ?? []).toSorted((a, b) => a - b),
    0.5,
  );
const others = Object.fromEntries(commands.slice(1).map(({ name }) => [`${name}Ms`, Math.round(medianOf(name))]));
const what = "`cluster list` of the package, median";
reportPromise({
  bench: "cli",
  what,
  ours: medianOf("package"),
  unit: "ms",
  against: { kind: "atMost", value: budgetMs },
  more: { runCount, ...others },
});
if (kubectl !== undefined)
  reportPromise({
    bench: "cli",
    what,
    ours: medianOf("package"),
    unit: "ms",
    against: { kind: "peer", name: "kubectl get namespaces", value: medianOf("kubectl") },
    more: { runCount },
  });
