// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import type { CreateTokenRequest } from "../gen/flotilla/admin/v1/admin_pb.ts";
import type { NewToken } from "./token-registry.ts";

/** Characters of a user or group name; identity providers stay well below. */
const maxNameLength = 256;
/** Groups of one token; Kubernetes sends them with every impersonated request, so many would not fit a header. */
const maxGroupCount = 64;
const maxDescriptionLength = 1024;

/** What was asked for, checked; throws INVALID_ARGUMENT naming the field. */
export function checkNewToken({ user, groups, description, ttlSeconds }: CreateTokenRequest): NewToken {
  const identity = checkIdentity({ user, groups });
  if (description.length > maxDescriptionLength)
    throw refused("description", `it is longer than ${maxDescriptionLength} characters`);
  return { ...identity, description, ttlMs: ttlSeconds === 0 ? undefined : ttlSeconds * 1000 };
}

/** A user and groups that somebody may be let in as; throws INVALID_ARGUMENT naming the field. */
export function checkIdentity({ user, groups }: Pick<NewToken, "user" | "groups">): Pick<NewToken, "user" | "groups"> {
  checkName("user", user);
  for (const group of groups) checkName("groups", group);
  if (groups.length > maxGroupCount) throw refused("groups", `at most ${maxGroupCount} are taken`);
  return { user, groups: [...new Set(groups)] };
}

function checkName(field: string, name: string): void {
  if (name === "") throw refused(field, "a name is not empty");
  if (name.length > maxNameLength) throw refused(field, `a name is longer than ${maxNameLength} characters`);
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed())
    throw refused(field, "a name holds a control character");
  // Kubernetes keeps this prefix for identities that a cluster itself vouches for; a token of ours must not claim one.
  if (name.startsWith("system:")) throw refused(field, "names that start with system: belong to clusters");
}

function refused(field: string, why: string): FlotillaError {
  return new FlotillaError("INVALID_ARGUMENT", `${field}: ${why}`, { ids: { field } });
}
