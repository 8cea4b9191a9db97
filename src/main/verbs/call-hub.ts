// SPDX-License-Identifier: Apache-2.0

import { systemRandom } from "../../base/system-random.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import { findHub, type HubAddress, isHubRunning } from "../../cli/hub/find-hub.ts";
import type { FollowCall } from "../../cli/hub/follow-hub.ts";
import { say } from "../../cli/output/io.ts";
import type { ConfigOf } from "../config/option-table.ts";
import { loadContexts } from "./context-store.ts";
import type { Runtime } from "./verb.ts";

/** Options of every verb that calls a hub. */
export type CallConfig = Pick<ConfigOf<"token list">, "hub" | "caFile" | "token" | "dataDir" | "output">;

/** The address and credential of the configured hub. */
export function findCalledHub(config: Omit<CallConfig, "output">, runtime: Runtime): HubAddress {
  const { io, readFile } = runtime;
  const contexts = loadContexts(runtime);
  const isShadowed = config.hub === undefined && contexts.current !== undefined && isHubRunning(config, readFile);
  if (isShadowed && io.stderr.isTerminal)
    say(io, `calling the hub running in ${config.dataDir}, not context ${contexts.current}`);
  const { hub, caFile, dataDir, token } = config;
  return findHub({ hub, caFile, dataDir, contexts, token: token?.reveal() }, readFile);
}

/** Finds the configured hub, runs `call` with a connection to it, and always closes the connection. */
export async function callHub(
  config: CallConfig,
  runtime: Runtime,
  call: (hub: FollowCall) => Promise<void>,
): Promise<void> {
  const { io, signal } = runtime;
  const transport = await runtime.openTransport(findCalledHub(config, runtime));
  try {
    await call({ transport, io, output: config.output, signal, clock: systemClock, random: systemRandom });
  } finally {
    transport.close();
  }
}
