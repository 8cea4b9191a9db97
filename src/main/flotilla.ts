// SPDX-License-Identifier: Apache-2.0
// The entry point of every Flotilla process: reads argv, environment and signals, and runs a verb.

import { systemRandom } from "../base/system-random.ts";
import { systemClock } from "../base/time/system-clock.ts";
import { reportFailure } from "../cli/output/failure.ts";
import { startSmall } from "./agent/reduce-memory.ts";
import { readFileNow } from "./config/read-file.ts";
import { runFlotilla } from "./run-flotilla.ts";
import { readPackageVersion } from "./runtime/package-version.ts";
import { openProcessIo } from "./runtime/process-io.ts";
import type { OpenTransport } from "./verbs/verb.ts";
import { verbs } from "./verbs/verbs.ts";

startSmall(process);

const stop = new AbortController();
// A signal may arrive twice (from the terminal and from the bootstrap) and counts once. The verb decides when to end.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort(new Error(signal)));

/** A transport to a hub over the network. Its code is loaded only by verbs that call a hub. */
const openTransport: OpenTransport = async ({ url, ca, token }) => {
  const { createHubTransport } = await import("../rpc/client/client.ts");
  const { chooseHubProxy } = await import("../rpc/client/hub-proxy.ts");
  const proxy = chooseHubProxy(url, process.env);
  return createHubTransport({ url, ca, token, proxy, clock: systemClock, random: systemRandom });
};

const { io, flush } = openProcessIo((reason) => stop.abort(reason));
const exitCode = await runFlotilla(process.argv.slice(2), verbs, {
  io,
  signal: stop.signal,
  readFile: readFileNow,
  openTransport,
  version: {
    version: readPackageVersion(import.meta.dirname),
    runtime: `Node ${process.versions.node}, ${process.platform}-${process.arch}`,
  },
});

const failure = await flush();
// Open handles of a dependency must not keep the process alive.
process.exit(failure === undefined ? exitCode : reportFailure(io, failure));
