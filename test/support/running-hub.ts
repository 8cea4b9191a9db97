// SPDX-License-Identifier: Apache-2.0
// A whole hub in this process, as `flotilla up` runs it: real files, real TLS, free ports.
import { readFileSync } from "node:fs";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import type { Io } from "../../src/cli/output/io.ts";
import type { RunFile } from "../../src/cli/run-file.ts";
import { readConfig } from "../../src/main/config/read-config.ts";
import { readFileNow } from "../../src/main/config/read-file.ts";
import { serveHub } from "../../src/main/hub/serve-hub.ts";
import { createHubTransport, type HubTransport } from "../../src/rpc/client/client.ts";

export interface RunningHub extends AsyncDisposable {
  readonly record: RunFile;
  readonly adminToken: string;
  /** Log lines so far. */
  readonly logged: readonly string[];
  /** What was logged before the hub announced that it is ready. */
  readonly loggedWhenReady: string;
  /** A transport with this token; closed with the hub. */
  connect(token?: string): HubTransport;
  /** Closes the hub in good order and waits for it. */
  stop(): Promise<void>;
}

/** Starts a hub on `dataDir` and waits until it is ready. Rejects as the process would fail. */
export async function startHub(dataDir: string, flags: readonly string[] = []): Promise<RunningHub> {
  const port = flags.includes("--port") ? [] : ["--port", "0"];
  const argv = ["--data-dir", dataDir, ...port, "--http-port", "0", "--log-format", "json", ...flags];
  const { config } = readConfig("hub", { argv, env: {}, readFile: readFileNow });
  const logged: string[] = [];
  const io: Io = {
    stdout: { write: () => undefined, isTerminal: false },
    stderr: { write: (line) => void logged.push(line), isTerminal: false },
    env: {},
    now: () => systemClock.wallMs(),
  };
  let loggedWhenReady = "";
  const stopping = new AbortController();
  const ready = Promise.withResolvers<RunFile>();
  const hubProcess = {
    io,
    clock: systemClock,
    random: systemRandom,
    pid: 1,
    program: [process.execPath] as const,
    version: "test",
    onReady: (told: RunFile) => {
      loggedWhenReady = logged.join("");
      ready.resolve(told);
    },
  };
  const serving = serveHub(config, hubProcess, stopping.signal);
  await Promise.race([ready.promise, serving]);
  const record = await ready.promise;
  const adminToken = readFileSync(record.adminTokenFile, "utf8").trim();
  const transports: HubTransport[] = [];
  const stop = async (): Promise<void> => {
    for (const transport of transports) transport.close();
    stopping.abort(new Error("the test is over"));
    await serving;
  };
  return {
    record,
    adminToken,
    logged,
    loggedWhenReady,
    connect(token = adminToken) {
      const transport = createHubTransport({
        url: record.hubUrl,
        caFile: record.caFile,
        token,
        clock: systemClock,
        random: systemRandom,
      });
      transports.push(transport);
      return transport;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
