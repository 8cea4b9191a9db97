// SPDX-License-Identifier: Apache-2.0
// An agent that is told to stop while nothing it waits for will ever come.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTempFolder } from "../support/temp-folder.ts";
import { BackgroundProgram } from "./fleet/background-program.ts";
import { eventually } from "./fleet/eventually.ts";
import { TcpProxy } from "./fleet/tcp-proxy.ts";

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
    await eventually(() => expect(agent.logged("the API server was judged anew")).not.toEqual([]));
    expect(agent.hasEnded).toBe(false);
    expect(await agent.end("SIGTERM")).toBe(0);
  });
});
