// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { idPrefixes } from "../../model/names.ts";

/** Where an agent runs, as far as it tells agents apart. */
export type AgentPlace =
  /** A Pod has its name for itself, and its container keeps it when it is begun anew. */
  | { readonly kind: "pod"; readonly namespace: string; readonly hostName: string }
  /** Beside a hub or by hand. */
  | { readonly kind: "file"; readonly hostName: string; readonly keyFile: string };

/** Hexadecimal digits of an id: 120 bits, so that no two places share one. */
const digitCount = 30;

/**
 * The id of the agent of this cluster at this place (SE1): processes that follow each other there have the same one, a copy of the key elsewhere
 * has another. Nothing is stored for it, and the names that went in cannot be read from it.
 */
export function agentIdAt(clusterId: string, place: AgentPlace): string {
  const parts =
    place.kind === "pod"
      ? ["pod", clusterId, place.namespace, place.hostName]
      : ["file", clusterId, place.hostName, resolve(place.keyFile)];
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return `${idPrefixes.agent}_${digest.slice(0, digitCount)}`;
}
