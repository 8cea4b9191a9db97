// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { matchGlob } from "../../base/match-glob.ts";
import { type IdentityMapping } from "../../index/access/identity-mapping.ts";
import { parseIdentityMapping } from "../../index/access/parse-identity-mapping.ts";

/** Who the hub's users are in the clusters that a glob names. */
export interface ClusterIdentity {
  readonly clusters: string;
  readonly mapping: IdentityMapping;
}

/** Most entries of one file. */
const maxIdentityCount = 1_000;

/**
 * Reads identities from parsed YAML or JSON: a list of mappings, each with the glob `clusters`. Throws INVALID_ARGUMENT
 * with the mistakes; `name` is what the file is called there.
 */
export function parseClusterIdentities(value: unknown, name: string): readonly ClusterIdentity[] {
  if (!Array.isArray(value) || value.length > maxIdentityCount)
    throw new FlotillaError("INVALID_ARGUMENT", `${name} must be a list of at most ${maxIdentityCount} mappings`);
  return value.map((entry: unknown, at) => {
    const { clusters, ...mapping } = isMap(entry) ? entry : {};
    if (typeof clusters !== "string" || clusters === "")
      throw new FlotillaError("INVALID_ARGUMENT", `${name}, entry ${at + 1}: clusters must be a glob such as prod-*`);
    return { clusters, mapping: parseIdentityMapping(mapping, `${name}, entry ${at + 1}`) };
  });
}

/** The mapping of a cluster: that of the first entry whose glob matches; undefined for none. */
export function findIdentity(identities: readonly ClusterIdentity[], cluster: string): IdentityMapping | undefined {
  return identities.find(({ clusters }) => matchGlob(clusters, cluster))?.mapping;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
