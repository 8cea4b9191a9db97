// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** A user whose access is looked at: as a cluster would authenticate it. */
export interface AccessSubject {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * The user named on the command line; undefined for the caller, which is named by `-` or not at all. The groups of the
 * caller are those of its token, so `--groups` is refused for it.
 */
export function toAccessSubject(user: string, groups: readonly string[]): AccessSubject | undefined {
  const isCaller = user === "" || user === "-";
  if (!isCaller) return { name: user, groups };
  if (groups.length > 0)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      "--groups works only with USER; your own groups are those of your token",
    );
  return undefined;
}

/** The part of a request that names the user; absent for the caller. */
export function userField(subject: AccessSubject | undefined): { user?: { name: string; groups: string[] } } {
  return subject === undefined ? {} : { user: { name: subject.name, groups: [...subject.groups] } };
}
