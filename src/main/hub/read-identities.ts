// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { FlotillaError } from "../../base/error.ts";
import { type ClusterIdentity, parseClusterIdentities } from "../../hub/access/cluster-identities.ts";

/** Reads `--cluster-identities`; empty without the option. Throws CONFIG_INVALID if the file cannot be used. */
export function readIdentities(file: string | undefined): readonly ClusterIdentity[] {
  if (file === undefined) return [];
  try {
    return parseClusterIdentities(parse(readFileSync(file, "utf8"), { maxAliasCount: 0 }) as unknown, file);
  } catch (reason) {
    const fault = reason instanceof Error ? reason.message : String(reason);
    throw new FlotillaError("CONFIG_INVALID", `--cluster-identities: ${fault}`, { cause: reason });
  }
}
