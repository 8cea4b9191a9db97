// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** The stored identity of an agent. Contains a private key: never logged, never part of an error (L18). */
export interface AgentIdentityRecord {
  readonly clusterId: string;
  /** The hub's name as answered when this key joined (SE6); "" before that. */
  readonly hubName: string;
  /** PKCS#8 PEM. */
  readonly privateKeyPem: string;
  /** `markOfToken` of the token that this key joined with; "" before that. */
  readonly tokenMark: string;
  /** The next key, stored before it is registered and until it replaces the first (SE8); "" without one. */
  readonly nextPrivateKeyPem: string;
}

/**
 * Where the record is stored. `save` overwrites only what `load` read: after a write by another process it rejects with
 * CONFLICT and changes nothing, so only one key of two agents is kept. An implementation that cannot detect such a
 * write documents it.
 */
export interface IdentityStore {
  /**
   * The stored record, or undefined. Rejects with UNAVAILABLE if it cannot be read now, with CONFIG_INVALID if it is
   * invalid.
   */
  load(signal: AbortSignal): Promise<AgentIdentityRecord | undefined>;
  /** Resolves when the record is durable. After a rejection it may or may not be written: load again. */
  save(record: AgentIdentityRecord, signal: AbortSignal): Promise<void>;
}

/** Stored names of the record's parts. They never change: a key under another name would be lost. */
const partNames: ReadonlyMap<string, keyof AgentIdentityRecord> = new Map([
  ["cluster-id", "clusterId"],
  ["hub-name", "hubName"],
  ["private-key.pem", "privateKeyPem"],
  ["token-mark", "tokenMark"],
  ["next-private-key.pem", "nextPrivateKeyPem"],
]);

/** True for a name that `toParts` returns. */
export function isPartName(name: string): boolean {
  return partNames.has(name);
}

/** The record as named texts, without empty parts. */
export function toParts(record: AgentIdentityRecord): ReadonlyMap<string, string> {
  const parts = Array.from(partNames, ([name, field]) => [name, record[field]] as const);
  return new Map(parts.filter(([, text]) => text !== ""));
}

/**
 * Parses the result of `toParts`; undefined without a key. Throws CONFIG_INVALID, naming `where`, for a key without a
 * cluster id.
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
      `${where} holds a key without the id of its cluster; put the cluster-id back, or delete it and join again`,
    );
  return {
    clusterId,
    hubName: part("hubName"),
    privateKeyPem,
    tokenMark: part("tokenMark"),
    nextPrivateKeyPem: part("nextPrivateKeyPem"),
  };
}
