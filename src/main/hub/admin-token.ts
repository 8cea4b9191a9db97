// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { TokenRegistry } from "../../hub/tokens/token-registry.ts";
import { hubGroups } from "../../rbac/hub-roles.ts";

/**
 * Ensures that `file` (mode 0600) contains a valid admin token; a missing, revoked or unknown one is replaced. Returns
 * the token's id.
 */
export async function ensureAdminToken(registry: TokenRegistry, file: string): Promise<string> {
  const known = existsSync(file) ? registry.verify(readFileSync(file, "utf8").trim()) : undefined;
  if (known?.kind === "verified") return known.tokenId;
  const { record, text } = await registry.create({
    user: "admin",
    groups: [hubGroups.admins],
    description: "created at start, for users who can read the data directory",
    ttlMs: undefined,
  });
  const partial = `${file}.partial`;
  writeFileSync(partial, `${text}\n`, { mode: 0o600 });
  renameSync(partial, file);
  return record.id;
}
