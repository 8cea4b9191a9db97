// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { idPrefixes } from "../../model/names.ts";

/** Where an agent runs. Distinguishes agents of one cluster from each other. */
export type AgentLocation =
  /** A Pod's name is unique, and stays the same when its container restarts. */
  | { readonly kind: "pod"; readonly namespace: string; readonly hostName: string }
  /** Started by a hub or by hand. */
  | { readonly kind: "file"; readonly hostName: string; readonly keyFile: string };

/** Hexadecimal digits of an id: 120 bits, so that ids do not collide. */
const digitCount = 30;

/**
 * The id of the agent of this cluster at this place (SE1). Consecutive processes at one place have the same id; a copy
 * of the key elsewhere has another. The id is derived, not stored, and does not reveal the names it is derived from.
 */
export function agentIdAt(clusterId: string, place: AgentLocation): string {
  const parts =
    place.kind === "pod"
      ? ["pod", clusterId, place.namespace, place.hostName]
      : ["file", clusterId, place.hostName, resolve(place.keyFile)];
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return `${idPrefixes.agent}_${digest.slice(0, digitCount)}`;
}
