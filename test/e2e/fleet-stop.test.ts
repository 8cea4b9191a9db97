// SPDX-License-Identifier: Apache-2.0
// Processes that are told to stop: an agent while nothing it waits for will ever come, and everything that npm has
// started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import type { RunFile } from "../../src/cli/run-file.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { BackgroundProgram } from "./fleet/background-program.ts";
import { eventually } from "./fleet/eventually.ts";
import { TcpProxy } from "./fleet/tcp-proxy.ts";
import { promptEnvironment } from "./run-program.ts";

describe("an agent without anybody", () => {
  const folder = openTempFolder();
  let blackHole: TcpProxy;
  let agent: BackgroundProgram;

  beforeAll(async () => {
    blackHole = await TcpProxy.open(1);
    blackHole.set("silent");
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: `https://127.0.0.1:${blackHole.port}` } }],
      users: [{ name: "u", user: { token: "none" } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    };
    writeFileSync(join(folder.path, "kubeconfig"), JSON.stringify(config));
    writeFileSync(join(folder.path, "join"), "none", { mode: 0o600 });
    const hub = `https://127.0.0.1:${blackHole.port}`;
    const files = ["--kubeconfig", "kubeconfig", "--join-token-file", "join", "--key-file", "key"];
    const paces = [
      "--connect-timeout",
      "500ms",
      "--request-timeout",
      "500ms",
      "--retry-first",
      "200ms",
      "--retry-cap",
      "500ms",
    ];
    const args = ["agent", "--cluster-id", "east", "--hub", hub, ...files, ...paces, "--admin-port", "0"];
    agent = new BackgroundProgram({ cwd: folder.path, args: [...args, "--log-format", "json"] });
  });

  afterAll(async () => {
    await agent.end("SIGKILL");
    await blackHole.close();
    folder[Symbol.dispose]();
  });

  test("[R-13] goes on trying, and ends by SIGTERM during an attempt, in good order", async () => {
    await eventually(() => expect(agent.logged("the API server's health changed")).not.toEqual([]));
    expect(agent.hasEnded).toBe(false);
    expect(await agent.end("SIGTERM")).toBe(0);
  });
});

test("a signal to npm ends what npm start runs: no shell stands between that would end alone", async () => {
  using folder = openTempFolder();
  const runFile = join(folder.path, "run.json");
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { start: string } };
  // As npm does it: a shell is given the script and its flags, and gets the signals.
  const script = `${scripts.start} --data-dir ${folder.path} --clusters 0 --port 0 --http-port 0 --no-open`;
  const shell = spawn("sh", ["-c", script], { cwd: root, env: promptEnvironment(), stdio: "ignore" });
  const ended = once(shell, "exit");
  await eventually(() => expect(existsSync(runFile)).toBe(true));
  const { pid } = JSON.parse(readFileSync(runFile, "utf8")) as RunFile;
  try {
    shell.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(existsSync(runFile)).toBe(false);
  } finally {
    if (existsSync(runFile)) process.kill(pid, "SIGKILL");
  }
});
