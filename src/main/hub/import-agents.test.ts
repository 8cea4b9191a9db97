// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTempFolder } from "../../../test/support/temp-folder.ts";
import { silentLogger } from "../../base/log.ts";
import { systemRandom } from "../../base/system-random.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import type { ImportListener } from "../../hub/imports/cluster-imports.ts";
import { startImportedAgents } from "./import-agents.ts";

/** Stands for an agent: tells the port it is given what it was started with, and goes on until it is told to stop. */
const stand = `
import { readFileSync } from "node:fs";
import { connect } from "node:net";
process.on("SIGTERM", () => process.exit(0));
const [port, ...words] = process.argv.slice(2);
connect(Number(port), "127.0.0.1").write(JSON.stringify({ pid: process.pid, words, input: readFileSync(0, "utf8") }) + "\\n");
`;

const record = { kubeconfig: "{one}", context: "Admin@c", privateKeyPem: "PEM", region: "", environment: "test" };

interface Run {
  readonly pid: number;
  readonly words: readonly string[];
  readonly input: string;
}

/** Hears of each agent when it runs, and by the end of its connection when it is gone. */
class Runs implements AsyncDisposable {
  /** All there ever were. */
  readonly begun: Run[] = [];
  readonly #running = new Map<Socket, Run>();
  readonly #server = createServer((socket) => {
    const lines = createInterface({ input: socket });
    lines.once("line", (line) => {
      const run = JSON.parse(line) as Run;
      this.begun.push(run);
      this.#running.set(socket, run);
      this.#server.emit("change");
    });
    socket.on("error", () => undefined); // an agent that is killed tells by its end too
    socket.once("close", () => {
      this.#running.delete(socket);
      this.#server.emit("change");
    });
  });

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** What those that run were given, once so many began in all and so many of them run. */
  async inputs(counts: { readonly begun: number; readonly running: number }): Promise<string[]> {
    while (this.begun.length < counts.begun || this.#running.size !== counts.running)
      await once(this.#server, "change");
    return Array.from(this.#running.values(), ({ input }) => input).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** True while the system knows the process. */
function isAlive({ pid }: Run): boolean {
  try {
    return process.kill(pid, 0);
  } catch (reason) {
    if (reason instanceof Error && "code" in reason && reason.code === "ESRCH") return false;
    throw reason;
  }
}

let folder: ReturnType<typeof openTempFolder>;
let runs: Runs;
let port: number;
let agents: AsyncDisposable | undefined;

beforeEach(async () => {
  folder = openTempFolder();
  writeFileSync(join(folder.path, "stand.mjs"), stand);
  runs = new Runs();
  port = await runs.listen();
});

afterEach(async () => {
  await agents?.[Symbol.asyncDispose](); // also where the test failed before it did so itself
  await runs[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function start(follow: (listener: ImportListener, signal: AbortSignal) => Promise<void>): AsyncDisposable {
  agents = startImportedAgents({
    follow,
    hubName: "hub_1",
    allowsLoopback: true,
    launch: {
      program: [process.execPath, join(folder.path, "stand.mjs"), String(port)],
      folder: folder.path,
      hubUrl: "https://127.0.0.1:1",
      caFile: "ca.crt",
      logLevel: "warn",
      logFormat: "json",
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    },
  });
  return agents;
}

test("each import has one agent, begun anew with another credential, ended when it is gone; all end with the hub", async () => {
  let tell: ImportListener = () => undefined;
  const started = start((listener, signal) => {
    tell = listener;
    return new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason as Error)));
  });
  tell("east", record);
  tell("west", { ...record, kubeconfig: "{west}" });
  expect(await runs.inputs({ begun: 2, running: 2 })).toEqual(["{one}", "{west}"]);
  const keyFile = join(folder.path, "agents", "east.json");
  const east = runs.begun.find(({ input }) => input === "{one}")?.words.join(" ");
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
  expect(await runs.inputs({ begun: 3, running: 2 })).toEqual(["{three}", "{west}"]);
  tell("east", undefined);
  expect(await runs.inputs({ begun: 3, running: 1 })).toEqual(["{west}"]);
  await started[Symbol.asyncDispose]();
  expect(runs.begun.filter(isAlive)).toEqual([]);
  expect(runs.begun).toHaveLength(3);
  expect(readdirSync(join(folder.path, "agents"))).toEqual(["west.json"]);
});

test("a follower that fails takes no agent with it", async () => {
  const started = start((listener) => {
    listener("east", record);
    return Promise.reject(new Error("the store is gone"));
  });
  expect(await runs.inputs({ begun: 1, running: 1 })).toEqual(["{one}"]);
  await started[Symbol.asyncDispose]();
  expect(runs.begun.filter(isAlive)).toEqual([]);
});
