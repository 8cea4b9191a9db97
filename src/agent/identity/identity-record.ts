// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** What an agent keeps of who it is. Holds a private key: never logged, never part of an error (L18). */
export interface AgentIdentityRecord {
  readonly clusterId: string;
  /** What the hub called itself when this key joined (SE6); "" while it has not. */
  readonly hubName: string;
  /** PKCS#8 PEM. */
  readonly privateKeyPem: string;
  /** `markOfToken` of the token that this key joined by; "" while it has not. */
  readonly tokenMark: string;
  /** The key that is to follow, from before it is registered until it takes the first one's place (SE8); "" without one. */
  readonly nextPrivateKeyPem: string;
}

/**
 * Where the record lies. `save` writes over what `load` saw and nothing else: where somebody else wrote in between it rejects with
 * CONFLICT and changes nothing, so that of two agents only one key is ever kept. Implementations that cannot tell say so.
 */
export interface IdentityStore {
  /** What is kept, or undefined. Rejects with UNAVAILABLE where it cannot be read now, CONFIG_INVALID where it makes no sense. */
  load(signal: AbortSignal): Promise<AgentIdentityRecord | undefined>;
  /** Resolves when the record is durable. A rejection says nothing about whether it was written: load again. */
  save(record: AgentIdentityRecord, signal: AbortSignal): Promise<void>;
}

/** Under which names a record's parts are stored. A stored name never changes: a key under another name would be lost. */
const partNames: ReadonlyMap<string, keyof AgentIdentityRecord> = new Map([
  ["cluster-id", "clusterId"],
  ["hub-name", "hubName"],
  ["private-key.pem", "privateKeyPem"],
  ["token-mark", "tokenMark"],
  ["next-private-key.pem", "nextPrivateKeyPem"],
]);

/** True for a name that `toParts` gives. */
export function isPartName(name: string): boolean {
  return partNames.has(name);
}

/** The record as named texts; parts that are empty are left out. */
export function toParts(record: AgentIdentityRecord): ReadonlyMap<string, string> {
  const parts = Array.from(partNames, ([name, field]) => [name, record[field]] as const);
  return new Map(parts.filter(([, text]) => text !== ""));
}

/**
 * Reads what `toParts` gave; undefined where there is no key at all. `where` names the place in CONFIG_INVALID, thrown for a key that
 * does not say whose it is.
 */
export function fromParts(parts: ReadonlyMap<string, string>, where: string): AgentIdentityRecord | undefined {
  const part = (wanted: keyof AgentIdentityRecord): string => {
    for (const [name, field] of partNames) if (field === wanted) return parts.get(name) ?? "";
    return "";
  };
  const privateKeyPem = part("privateKeyPem");
  if (privateKeyPem === "") return undefined;
  const clusterId = part("clusterId");
  if (clusterId === "")
    throw new FlotillaError(
      "CONFIG_INVALID",
      `${where} holds a key without the id of its cluster; put the cluster-id back, or delete it and join anew`,
    );
  return {
    clusterId,
    hubName: part("hubName"),
    privateKeyPem,
    tokenMark: part("tokenMark"),
    nextPrivateKeyPem: part("nextPrivateKeyPem"),
  };
}
