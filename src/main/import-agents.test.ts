// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openTempFolder } from "../../test/support/temp-folder.ts";
import { silentLogger } from "../base/log.ts";
import { systemClock } from "../base/system-clock.ts";
import { systemRandom } from "../base/system-random.ts";
import type { ImportListener } from "../hub/imports/import-desk.ts";
import { startImportedAgents } from "./import-agents.ts";

/** Stands for an agent: writes what it was given to a file named after its process, and goes on until it is told to stop. */
const stand = `
import { readFileSync, writeFileSync, rmSync } from "node:fs";
const file = process.argv[2] + "/" + process.pid + ".run";
writeFileSync(file, JSON.stringify({ words: process.argv.slice(3), input: readFileSync(0, "utf8") }));
process.on("SIGTERM", () => { rmSync(file); process.exit(0); });
setInterval(() => undefined, 1000);
`;

const record = { kubeconfig: "{one}", context: "Admin@c", privateKeyPem: "PEM", region: "", environment: "test" };

interface Run {
  readonly words: readonly string[];
  readonly input: string;
}

let folder: ReturnType<typeof openTempFolder>;

beforeEach(() => {
  folder = openTempFolder();
  writeFileSync(join(folder.path, "stand.mjs"), stand);
});

afterEach(() => folder[Symbol.dispose]());

function runs(): readonly Run[] {
  const files = readdirSync(folder.path).filter((name) => name.endsWith(".run"));
  return files.map((name) => JSON.parse(readFileSync(join(folder.path, name), "utf8")) as Run);
}

function start(follow: (listener: ImportListener, signal: AbortSignal) => Promise<void>): AsyncDisposable {
  const agents = startImportedAgents({
    follow,
    hubName: "hub_1",
    allowsLoopback: true,
    program: [process.execPath, join(folder.path, "stand.mjs"), folder.path],
    folder: folder.path,
    hubUrl: "https://127.0.0.1:1",
    caFile: "ca.crt",
    logLevel: "warn",
    logFormat: "json",
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  onTestFinished(() => agents[Symbol.asyncDispose]()); // also where the test fails before it does so itself
  return agents;
}

test("each import has one agent, begun anew with another credential, ended when it is gone; all end with the hub", async () => {
  let tell: ImportListener = () => undefined;
  const agents = start((listener, signal) => {
    tell = listener;
    return new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason as Error)));
  });
  tell("east", record);
  tell("west", { ...record, kubeconfig: "{west}" });
  await vi.waitFor(() =>
    expect(
      runs()
        .map(({ input }) => input)
        .sort(),
    ).toEqual(["{one}", "{west}"]),
  );
  const keyFile = join(folder.path, "agents", "east.json");
  const east = runs()
    .find(({ input }) => input === "{one}")
    ?.words.join(" ");
  expect(east).toContain("agent --cluster-id east");
  expect(east).toContain(`--kubeconfig - --context Admin@c --key-file ${keyFile} --allow-loopback-imports=true`);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(keyFile, "utf8"))).toEqual({
    "cluster-id": "east",
    "hub-name": "hub_1",
    "private-key.pem": "PEM",
  });
  tell("east", { ...record, kubeconfig: "{two}" });
  tell("east", { ...record, kubeconfig: "{three}" });
  await vi.waitFor(() =>
    expect(
      runs()
        .map(({ input }) => input)
        .sort(),
    ).toEqual(["{three}", "{west}"]),
  );
  tell("east", undefined);
  await vi.waitFor(() => expect(runs().map(({ input }) => input)).toEqual(["{west}"]));
  await vi.waitFor(() => expect(existsSync(keyFile)).toBe(false));
  await agents[Symbol.asyncDispose]();
  expect(runs()).toEqual([]);
});

test("a follower that fails takes no agent with it", async () => {
  const agents = start((listener) => {
    listener("east", record);
    return Promise.reject(new Error("the store is gone"));
  });
  await vi.waitFor(() => expect(runs()).toHaveLength(1));
  await agents[Symbol.asyncDispose]();
  expect(runs()).toEqual([]);
});
