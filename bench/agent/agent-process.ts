// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchHub } from "../support/bench-hub.ts";
import { FlotillaProcess } from "../support/flotilla-process.ts";

/** What an agent is run with. */
export interface AgentPlace {
  /** The built program. */
  readonly program: string;
  readonly folder: string;
  readonly hub: BenchHub;
  /** The port by which it goes to the hub. */
  readonly hubPort: number;
  readonly kubeconfig: string;
  readonly clusterId: string;
}

/** Starts a built agent as an operator does by hand; a second start with the same id is a restart of that agent. */
export function startAgent({ program, folder, hub, hubPort, kubeconfig, clusterId }: AgentPlace): FlotillaProcess {
  const flags = {
    "cluster-id": clusterId,
    hub: `https://127.0.0.1:${hubPort}`,
    "ca-file": hub.place.caFile,
    kubeconfig,
    "join-token-file": join(folder, `${clusterId}.join`),
    "key-file": join(folder, `${clusterId}.key`),
    "admin-port": "0",
    "log-format": "json",
  };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return new FlotillaProcess({ args: [program, "agent", ...words], cwd: folder });
}

/** Writes the file by which the agent may join. */
export async function allowJoin({ folder, hub, clusterId }: AgentPlace): Promise<void> {
  const { secret } = await hub.createJoinToken(clusterId, 1);
  writeFileSync(join(folder, `${clusterId}.join`), secret, { mode: 0o600 });
}
