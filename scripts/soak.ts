// SPDX-License-Identifier: Apache-2.0
// `npm run soak [-- --minutes N]`: runs the simulation with fresh seeds, one process per core, until the time is over
// or a violation is found. With --record it updates the count in docs/numbers.md. With --properties the property tests
// run afterwards with a fresh seed.
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SoakedSeed, SoakViolation } from "../test/simulation/soak/run-seed.ts";
import { replaceNumbers } from "./numbers-page.ts";
import { root, runTool } from "./project.ts";
import { renderSoak, soakSectionName } from "./soak-page.ts";

const numbersPath = join(root, "docs/numbers.md");
const workerPath = join(root, "test/simulation/soak/soak-worker.ts");

const defaultMinutes = 60;

/** Interval of the progress lines. */
const progressMs = 60_000;

/** A seed takes less than a second, the largest world some seconds. A worker without a result for this time hangs. */
const seedLimitMs = 300_000;

interface SoakOptions {
  readonly minutes: number;
  readonly workerCount: number;
  readonly firstSeed: number;
  readonly isRecorded: boolean;
  readonly hasProperties: boolean;
}

/** Throws an Error that names the wrong option. */
function readOptions(words: readonly string[], nowMs: number): SoakOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      minutes: { type: "string", default: String(defaultMinutes) },
      workers: { type: "string", default: String(availableParallelism()) },
      // The time in milliseconds: a run uses far fewer than 1,000 seeds per second, so the next run starts after its
      // seeds.
      from: { type: "string", default: String(nowMs) },
      record: { type: "boolean", default: false },
      properties: { type: "boolean", default: false },
    },
  });
  const minutes = Number(values.minutes);
  const workerCount = Number(values.workers);
  const firstSeed = Number(values.from);
  if (!(minutes > 0 && minutes < 100_000)) throw new Error(`--minutes must be a number above 0, not ${values.minutes}`);
  if (!(Number.isInteger(workerCount) && workerCount > 0 && workerCount <= 256))
    throw new Error(`--workers must be a whole number from 1 to 256, not ${values.workers}`);
  if (!(Number.isSafeInteger(firstSeed) && firstSeed > 0))
    throw new Error(`--from must be a seed, a whole number above 0, not ${values.from}`);
  return { minutes, workerCount, firstSeed, isRecorded: values.record, hasProperties: values.properties };
}

/** Assigns seeds to workers in order, one at a time per worker. */
class Soak {
  readonly #workers: ChildProcess[] = [];
  readonly #startedMs = performance.now();
  readonly #firstSeed: number;
  #nextSeed: number;
  #isStopping = false;
  doneCount = 0;
  worldCount = 0;
  readonly violations: SoakViolation[] = [];
  /** Why the run failed; undefined if it did not. */
  failure: string | undefined;

  constructor(firstSeed: number) {
    this.#firstSeed = firstSeed;
    this.#nextSeed = firstSeed;
  }

  /** Number of seeds run, and their results. */
  get progress(): string {
    const perSecond = (this.doneCount / ((performance.now() - this.#startedMs) / 1_000)).toFixed(1);
    return `${this.doneCount} seeds run, ${this.worldCount} worlds, ${this.violations.length} violations, ${perSecond} seeds a second`;
  }

  /** The assigned seeds; all were run if `run` resolved without a failure. */
  get range(): string {
    return `${this.#firstSeed} to ${this.#nextSeed - 1}`;
  }

  /** Assigns no more seeds; running ones are finished. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Resolves when the time is over or a failure occurred, and every worker has ended. */
  async run(minutes: number, workerCount: number): Promise<void> {
    const deadline = setTimeout(() => this.stop(), minutes * 60_000);
    const ticking = setInterval(() => console.log(this.progress), progressMs);
    try {
      await Promise.all(Array.from({ length: workerCount }, () => this.#runWorker()));
    } finally {
      clearTimeout(deadline);
      clearInterval(ticking);
    }
  }

  #runWorker(): Promise<void> {
    const worker = fork(workerPath, { cwd: root });
    this.#workers.push(worker);
    let seed = 0;
    let limit: NodeJS.Timeout | undefined;
    const next = (): void => {
      clearTimeout(limit);
      if (this.#isStopping) {
        worker.kill("SIGKILL");
        return;
      }
      seed = this.#nextSeed;
      this.#nextSeed += 1;
      limit = setTimeout(() => this.#fail(`seed ${seed} did not end within ${seedLimitMs / 1_000} s`), seedLimitMs);
      worker.send(seed);
    };
    worker.on("message", (soaked: SoakedSeed) => {
      this.#take(soaked);
      next();
    });
    const ended = new Promise<void>((resolve) => {
      worker.once("exit", (code) => {
        clearTimeout(limit);
        if (!this.#isStopping) this.#fail(`a worker ended with exit code ${code} while it ran seed ${seed}`);
        resolve();
      });
    });
    next();
    return ended;
  }

  #take({ worldCount, violations }: SoakedSeed): void {
    this.doneCount += 1;
    this.worldCount += worldCount;
    this.violations.push(...violations);
    if (violations.length > 0) this.stop();
  }

  #fail(failure: string): void {
    this.failure ??= failure;
    this.stop();
    for (const worker of this.#workers) worker.kill("SIGKILL");
  }
}

async function record(soak: Soak, firstSeed: number): Promise<void> {
  const page = readFileSync(numbersPath, "utf8");
  const section = renderSoak(page, {
    firstSeed,
    seedCount: soak.doneCount,
    worldCount: soak.worldCount,
    violationCount: soak.violations.length,
    day: new Date().toISOString().slice(0, 10),
  });
  writeFileSync(numbersPath, replaceNumbers(page, soakSectionName, section));
  await runTool("biome", ["format", "--write", numbersPath]);
}

/** Runs the property tests with another seed than the fixed one. */
async function runProperties(seed: number): Promise<number> {
  process.env["PROPERTY_SEED"] = String(seed);
  console.log(`property tests with PROPERTY_SEED=${seed}`);
  return (await runTool("vitest", ["run", ".prop.test"], { output: "inherit" })).code;
}

async function main(words: readonly string[]): Promise<number> {
  const nowMs = Date.now();
  let options: SoakOptions;
  try {
    options = readOptions(words, nowMs);
  } catch (reason) {
    console.error(`soak: ${reason instanceof Error ? reason.message : String(reason)}`);
    return 2;
  }
  const { minutes, workerCount, firstSeed, isRecorded, hasProperties } = options;
  console.log(`seeds from ${firstSeed} on, for ${minutes} minutes, in ${workerCount} processes`);
  const soak = new Soak(firstSeed);
  process.once("SIGINT", () => soak.stop());
  await soak.run(minutes, workerCount);
  for (const { world, seed, text, replay } of soak.violations)
    console.log(`VIOLATION in world "${world}", seed ${seed}: ${text}\nreplay: ${replay}`);
  if (soak.failure !== undefined) console.error(`soak: ${soak.failure}`);
  console.log(`seeds ${soak.range}: ${soak.progress}`);
  if (isRecorded && soak.failure === undefined) await record(soak, firstSeed);
  if (soak.violations.length > 0 || soak.failure !== undefined) return 1;
  return hasProperties ? await runProperties(Math.floor(nowMs / 1_000)) : 0;
}

process.exitCode = await main(process.argv.slice(2));
