// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../../src/model/subject.ts";

/** Headers by which an admin's request counts as one of this user, in exactly these groups. */
export function impersonate({ user, groups }: Subject): Readonly<Record<string, string | readonly string[]>> {
  return { "impersonate-user": user, "impersonate-group": groups };
}
