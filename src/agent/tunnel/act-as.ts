// SPDX-License-Identifier: Apache-2.0
// The impersonation headers of a request for a user of the hub (TU7, TU8). Pure.
import { FlotillaError } from "../../base/error.ts";
import type { Impersonation } from "../../kube/credentials/cluster-access.ts";
import { authenticatedGroup } from "../../model/subject.ts";
import { quote, utf8ByteCount } from "../../model/text.ts";

/** Limit for one name; names in directories are shorter. */
const maxSubjectBytes = 1_024;

/** Limit for all names together, each with the overhead of a header: HTTP/2 in Node sends at most 64 KiB of headers. */
const maxSubjectsBytes = 48 * 1024;
const headerCostBytes = 32;

/** Prefix of the names that Kubernetes reserves for itself. */
const systemPrefix = "system:";

/**
 * The user to impersonate. Throws PERMISSION_DENIED for a user or group that an agent never acts for.
 * `system:authenticated` is left out: the API server adds it.
 */
export function toImpersonation(user: string, groups: readonly string[]): Impersonation {
  const others = groups.filter((group) => group !== authenticatedGroup);
  const names = [user, ...others];
  for (const name of names) {
    if (name.startsWith(systemPrefix)) refuse(`the agent acts for no system user or group, such as ${quote(name)}`);
    if (!arrivesAsItIs(name))
      refuse(
        `the agent cannot act for ${quote(name)}: it is empty, too long, or has control characters or blanks at an end`,
      );
  }
  const sizeBytes = names.reduce((sum, name) => sum + utf8ByteCount(name) + headerCostBytes, 0);
  if (sizeBytes > maxSubjectsBytes)
    refuse(`the agent cannot act for ${quote(user)}: the names of all groups are too long together`);
  return { user, uid: undefined, groups: others, extra: new Map() };
}

/** Header values lose blanks at their ends and must not contain control characters: a different name would arrive. */
function arrivesAsItIs(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  const isPlain = name !== "" && name.trim() === name && !/[\u0000-\u001f\u007f]/.test(name);
  return isPlain && name.isWellFormed() && utf8ByteCount(name) <= maxSubjectBytes;
}

function refuse(sentence: string): never {
  throw new FlotillaError("PERMISSION_DENIED", sentence);
}
