// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { type SourceFile, toSourceFile, type Violation } from "./source-tree.ts";
import {
  checkAsynchrony,
  checkClockAndChance,
  checkProcess,
  checkPurity,
  checkSleeping,
  checkSystemImports,
  checkWorkspace,
} from "./surroundings.ts";

type Check = (files: readonly SourceFile[]) => Violation[];

/** Cases of one rule: what breaks it, and what looks like it and does not. */
function cases(check: Check, refused: readonly [string, string][], allowed: readonly [string, string][]): void {
  test.each(refused)("refused in %s: %s", (path, text) => {
    expect(check([toSourceFile(path, text)])).toHaveLength(1);
  });
  test.each(allowed)("allowed in %s: %s", (path, text) => {
    expect(check([toSourceFile(path, text)])).toEqual([]);
  });
}

describe("the workspace of the hub's rows", () => {
  cases(
    checkWorkspace,
    [
      ["src/hub/a.ts", "store.list(tokens, { prefix: [rootWorkspace] });"],
      ["src/main/a.ts", "const key = [rootWorkspace];"],
    ],
    [
      ["src/hub/a.ts", "store.list(tokens, { prefix: [store.workspace] });"],
      ["src/hub/a.test.ts", "const key = [rootWorkspace];"],
      ["src/store/create-store.ts", "const workspace = rootWorkspace;"],
    ],
  );
});

describe("env, argv and exit", () => {
  cases(
    checkProcess,
    [
      ["src/hub/a.ts", "const a = process.env['A'];"],
      ["src/cli/a.ts", "process.exit(1);"],
      ["src/base/a.ts", "const [, , verb] = process.argv;"],
      ["src/base/a.ts", "globalThis.process.exitCode = 1;"],
      ["src/base/a.ts", "const { env } = process;"],
      ["src/base/a.ts", 'import { env } from "node:process";'],
    ],
    [
      ["src/main/flotilla.ts", "process.exit(1);"],
      ["src/store/sqlite/store-worker.ts", "process.argv;"],
      ["src/hub/a.test.ts", "process.env['A'];"],
      ["src/hub/a.ts", "// process.env is read in main\nconst a = 'process.exit()';"],
      ["src/hub/a.ts", "child.process.env;"],
    ],
  );
});

describe("clock and chance", () => {
  cases(
    checkClockAndChance,
    [
      ["src/hub/a.ts", "Date.now();"],
      ["src/hub/a.ts", "new Date();"],
      ["src/hub/a.ts", "new Date;"],
      ["src/hub/a.ts", "Date();"],
      ["src/main/a.ts", "performance.now();"],
      ["src/hub/a.ts", "setTimeout(f, 1);"],
      ["src/hub/a.ts", "globalThis.setInterval(f, 1);"],
      ["src/hub/a.ts", "await new Promise(setImmediate);"],
      ["src/hub/a.ts", "AbortSignal.timeout(5);"],
      ["src/hub/a.ts", "Math.random();"],
      ["src/hub/a.ts", "crypto.randomUUID();"],
      ["src/hub/a.ts", 'import { randomBytes } from "node:crypto";'],
      ["src/hub/a.ts", 'import { scheduler } from "node:timers/promises";'],
    ],
    [
      ["src/hub/a.ts", "new Date(wallMs);"],
      ["src/hub/a.ts", "new Date(\n  wallMs,\n);"],
      ["src/hub/a.ts", "Date.UTC(2026, 0, 1); clearTimeout(timer);"],
      ["src/hub/a.ts", "options.setTimeout(5);"],
      ["src/hub/a.ts", "toDate(a); let b: Date;"],
      ["src/hub/a.test.ts", "Date.now();"],
    ],
  );
});

describe("the machine's clock and randomness as objects", () => {
  const text = 'import { systemClock } from "../base/system-clock.ts";';
  cases(
    checkSystemImports,
    [
      ["src/hub/a.ts", text],
      ["src/store/a.ts", text.replaceAll("clock", "random")],
    ],
    [
      ["src/main/a.ts", text],
      ["src/index/index-worker.ts", text],
      ["src/hub/a.test.ts", text],
    ],
  );
});

describe("sleeping in tests", () => {
  cases(
    checkSleeping,
    [
      ["src/hub/a.test.ts", "await new Promise((done) => setTimeout(done, 5));"],
      ["test/support/a.ts", "setInterval(f, 5);"],
      ["test/simulation/a.test.ts", "Math.random();"],
      ["test/e2e/a.test.ts", 'import { scheduler } from "node:timers/promises";'],
    ],
    [
      ["src/hub/a.test.ts", "await settle(); clearTimeout(a);"],
      ["bench/a.ts", "setTimeout(f, 5);"],
    ],
  );
});

describe("foreign asynchrony", () => {
  cases(
    checkAsynchrony,
    [
      ["src/hub/a.ts", 'import { connect } from "node:net";'],
      ["src/agent/a.ts", 'import { readFile } from "node:fs/promises";'],
      ["src/kube/a.ts", 'const a = await import("node:http2");'],
      ["src/session/a.ts", "new Worker(entry);"],
      ["src/kube/a.ts", "await fetch(url);"],
    ],
    [
      ["src/store/a.ts", 'import "node:fs";'],
      ["src/kube/a.ts", 'import type { Socket } from "node:net";'],
      ["src/kube/a.ts", "source.fetch(url);"],
      ["src/hub/a.test.ts", 'import "node:fs";'],
      ["src/kube/connection/a.ts", 'import { connect } from "node:net";'],
    ],
  );
});

describe("globals of the machine in pure folders", () => {
  cases(
    checkPurity,
    [
      ["src/model/a.ts", "Buffer.from(a);"],
      ["src/rbac/a.ts", "console.log(a);"],
      ["src/index/a.ts", "crypto.subtle;"],
    ],
    [
      ["src/base/a.ts", "Buffer.from(a);"],
      ["src/model/a.ts", "let a: ArrayBuffer; const rules = { process: 1 };"],
    ],
  );
});
