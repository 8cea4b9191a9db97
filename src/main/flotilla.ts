// SPDX-License-Identifier: Apache-2.0
// The entry point of every Flotilla process: reads argv, environment and signals, and runs a verb.
import { reportFailure } from "../cli/output/failure.ts";
import { startSmall } from "./agent/reduce-memory.ts";
import { readFileNow } from "./config/read-file.ts";
import { runFlotilla } from "./run-flotilla.ts";
import { readPackageVersion } from "./runtime/package-version.ts";
import { openProcessIo } from "./runtime/process-io.ts";
import { openTransport } from "./verbs/open-transport.ts";
import { verbs } from "./verbs/verbs.ts";

startSmall(process);

const stop = new AbortController();
// A signal may arrive twice (from the terminal and from the bootstrap) and counts once. The verb decides when to end.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort(new Error(signal)));

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
