// SPDX-License-Identifier: Apache-2.0
// The entry of every Flotilla process: reads argv, environment and signals, and hands them to a verb.
import { reportFailure } from "../cli/failure.ts";
import { startSmall } from "./agent/start-small.ts";
import { readFileNow } from "./config/read-file.ts";
import { openTransport } from "./open-transport.ts";
import { readPackageVersion } from "./package-version.ts";
import { openProcessIo } from "./process-io.ts";
import { runFlotilla } from "./run-flotilla.ts";
import { verbs } from "./verbs.ts";

startSmall(process);

const stop = new AbortController();
// A signal may come twice (the terminal's and the bootstrap's copy of it) and counts once; the verb decides when to end.
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
// Whatever a dependency still holds must not keep the process.
process.exit(failure === undefined ? exitCode : reportFailure(io, failure));
