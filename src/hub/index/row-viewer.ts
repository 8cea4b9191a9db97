// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";

/** The reader of rows: the hub itself, which sees all of them, or a user, who sees what each cluster's RBAC allows. */
export type Viewer = { readonly kind: "hub" } | { readonly kind: "user"; readonly subject: Subject };
