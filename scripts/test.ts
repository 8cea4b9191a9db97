// SPDX-License-Identifier: Apache-2.0
// `npm test` (all), `npm run check` (check), `npm run test:browser` (browser), `npm run test:kubernetes` (kubernetes) and
// `npm run test:access` (access). Every step runs, even if an earlier one failed. A step's output is shown only if it failed. The last
// line is `N passed, N failed`, which counts test cases and the other steps.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oldestKubernetes } from "./kubernetes-kit.ts";
import { type Finished, root, runNode, runTool } from "./project.ts";
import { countTests, failuresIn } from "./vitest-report.ts";

/**
 * Time limit of a hanging step: `npm test` takes less than 20 minutes on two idle cores, and so does the whole run with
 * Kubernetes.
 */
const stepLimitMs = 26 * 60_000;
const kubernetesLimitMs = 28 * 60_000;

/** Number of skipped tests listed by name; the rest is counted. */
const listedCount = 20;

/** Tests of `npm run test:kubernetes`. */
const kubernetesTests = [
  "test/kubernetes/",
  "test/conformance/",
  "test/e2e/kubectl",
  "test/integration/fleet-api.test.ts",
];

/** Tests whose outcome depends on how a server authorizes: what `npm run test:access` runs on another version. */
const accessTests = ["rbac", "rbac-answers", "rbac-bootstrap", "rbac-writes", "visible-rows", "access"].map(
  (name) => `test/kubernetes/${name}.kubernetes.test.ts`,
);

interface Total {
  passed: number;
  failed: number;
}

function report(name: string, finished: Finished, isGood: boolean, detail: string): void {
  const seconds = (finished.tookMs / 1000).toFixed(1).padStart(6);
  console.log(`${isGood ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds} s${detail === "" ? "" : `  ${detail}`}`);
  if (finished.timedOut) console.log(`${name} was stopped after ${Math.round(finished.tookMs / 60_000)} minutes`);
  if (!isGood) console.log(`${finished.output.trim()}\n`);
}

async function runStep(name: string, run: Promise<Finished>, total: Total): Promise<void> {
  const finished = await run;
  const isGood = finished.code === 0;
  if (isGood) total.passed += 1;
  else total.failed += 1;
  const leftOut = finished.output.split("\n").filter((line) => line.startsWith("left out: "));
  report(name, finished, isGood, "");
  if (isGood) for (const line of leftOut) console.log(`       ${line}`);
}

async function runTests(filters: readonly string[], total: Total, limitMs = stepLimitMs): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "flotilla-test-"));
  const file = join(scratch, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const finished = await runTool("vitest", ["run", ...reporters, ...filters], { limitMs });
    if (!existsSync(file)) {
      total.failed += 1;
      report("tests", finished, false, "the test runner ended without a report");
      return;
    }
    const counts = countTests(readFileSync(file, "utf8"), root);
    // An error outside of all cases and files (an unhandled rejection) shows only in the exit code.
    const failed = counts.failedCount === 0 && finished.code !== 0 ? 1 : counts.failedCount;
    total.passed += counts.passedCount;
    total.failed += failed;
    report(
      "tests",
      { ...finished, output: failuresIn(finished.output) },
      failed === 0,
      `${counts.passedCount} passed, ${failed} failed`,
    );
    for (const name of counts.notRun.slice(0, listedCount)) console.log(`       left out: ${name}`);
    const restCount = counts.notRun.length - listedCount;
    if (restCount > 0) console.log(`       left out: ${restCount} more`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Builds the kit if it does not exist, with its output, then runs completely the tests of which `npm test` runs a
 * sample.
 */
async function mainKubernetes(version: string | undefined, filters: readonly string[]): Promise<number> {
  const total: Total = { passed: 0, failed: 0 };
  // Child processes inherit both: the kit's version, and how much is run.
  if (version !== undefined) process.env["FLOTILLA_KUBERNETES_VERSION"] = version;
  process.env["FLOTILLA_KUBERNETES_TESTS"] = "whole";
  await runStep("kit", runNode([join(root, "scripts/kubernetes.ts")], { output: "inherit" }), total);
  if (total.failed === 0) await runTests(filters, total, kubernetesLimitMs);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

/** Runs the tests of long outages, in a real browser. */
async function mainBrowser(): Promise<number> {
  const total: Total = { passed: 0, failed: 0 };
  await runTests(["test/browser/"], total);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

async function main(mode: "all" | "check"): Promise<number> {
  const total: Total = { passed: 0, failed: 0 };
  const limitMs = stepLimitMs;
  const steps = [
    runStep("types", runTool("tsc", ["-p", "."], { limitMs }), total),
    runStep("page types", runTool("tsc", ["-p", "ui"], { limitMs }), total),
    runStep("lint", runTool("oxlint", ["--type-aware", "--deny-warnings"], { limitMs }), total),
    runStep("unused", runTool("knip", [], { limitMs }), total),
  ];
  if (mode === "all") {
    steps.push(
      runStep("format", runTool("biome", ["check", "--error-on-warnings"], { limitMs }), total),
      runStep("protobuf", runTool("buf", ["lint"], { limitMs }), total),
      runStep("generated", runNode([join(root, "scripts/generate.ts"), "--check"], { limitMs }), total),
    );
  }
  await Promise.all(steps);
  await runTests(mode === "check" ? ["src/"] : ["--exclude", "test/browser/**"], total);
  if (mode === "all") console.log("       left out: test/browser (`npm run test:browser` runs it)");
  if (mode === "check")
    console.log("       left out: format, generated files and everything in test/ (`npm test` runs them)");
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

const [mode, ...rest] = process.argv.slice(2);
if ((mode === "all" || mode === "check") && rest.length === 0) {
  process.exitCode = await main(mode);
} else if (mode === "browser" && rest.length === 0) {
  process.exitCode = await mainBrowser();
} else if (mode === "kubernetes" && rest.length <= 1) {
  process.exitCode = await mainKubernetes(rest[0], kubernetesTests);
} else if (mode === "access" && rest.length <= 1) {
  process.exitCode = await mainKubernetes(rest[0] ?? oldestKubernetes, accessTests);
} else {
  console.error(
    "usage: scripts/test.ts all|check|browser|kubernetes [VERSION]|access [VERSION]; for single tests: npx vitest run PATH",
  );
  process.exitCode = 2;
}
