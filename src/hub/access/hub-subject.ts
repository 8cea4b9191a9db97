// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";

/**
 * The hub itself as a reader of rows, for its metrics. The reader recognises this object, not its name: no token and no
 * identity provider can create it, and no role is bound to it.
 */
export const hubSubject: Subject = Object.freeze({ user: "system:flotilla:hub", groups: Object.freeze([]) });
