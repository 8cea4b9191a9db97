// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { CreateTokenRequest } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import type { NewToken } from "./token-registry.ts";

/** Maximum characters of a user or group name; names of identity providers are well below. */
const maxNameLength = 256;
/** Maximum groups of one token. Kubernetes carries them as headers of every impersonated request. */
const maxGroupCount = 64;
const maxDescriptionLength = 1024;

/** Validates the request. Throws INVALID_ARGUMENT naming the field. */
export function checkNewToken({ user, groups, description, ttlSeconds }: CreateTokenRequest): NewToken {
  const identity = checkIdentity({ user, groups });
  if (description.length > maxDescriptionLength)
    throw refused("description", `must not be longer than ${maxDescriptionLength} characters`);
  return { ...identity, description, ttlMs: ttlSeconds === 0 ? undefined : ttlSeconds * 1000 };
}

/** Validates a user and groups. Throws INVALID_ARGUMENT naming the field. */
export function checkIdentity({ user, groups }: Pick<NewToken, "user" | "groups">): Pick<NewToken, "user" | "groups"> {
  checkName("user", user);
  for (const group of groups) checkName("groups", group);
  if (groups.length > maxGroupCount) throw refused("groups", `at most ${maxGroupCount} groups are allowed`);
  return { user, groups: [...new Set(groups)] };
}

function checkName(field: string, name: string): void {
  if (name === "") throw refused(field, "a name must not be empty");
  if (name.length > maxNameLength) throw refused(field, `a name must not be longer than ${maxNameLength} characters`);
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed())
    throw refused(field, "a name must not contain control characters");
  // Kubernetes reserves this prefix for identities that a cluster issues; a Flotilla token must not claim one.
  if (name.startsWith("system:")) throw refused(field, "names that start with system: are reserved for clusters");
}

function refused(field: string, why: string): FlotillaError {
  return new FlotillaError("INVALID_ARGUMENT", `${field}: ${why}`, { ids: { field } });
}
