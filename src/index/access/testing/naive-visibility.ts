// SPDX-License-Identifier: Apache-2.0
// Visibility by its definition: every request that could return the object, decided by scanning every RBAC object.
import type { Subject } from "../../../model/subject.ts";
import type { RbacLists } from "../../../rbac/testing/arbitrary-rbac.ts";
import { naiveAllows } from "../../../rbac/testing/naive-evaluator.ts";
import { requestsFor } from "../../../rbac/visibility-requests.ts";
import type { VisibilityUse } from "../subject-grants.ts";
import type { JudgedObject } from "../who-can-see.ts";

/** Resources over the alphabet of `arbitrary-rbac.ts`. */
export const sampleResources: readonly string[] = ["p", "q", "x/p", "namespaces"];

/** Objects that rules of `arbitrary-rbac.ts` can name, and some that they cannot. */
export const sampleObjects: readonly JudgedObject[] = sampleResources.flatMap((resource) =>
  (resource === "namespaces" ? [""] : ["", "n", "m", "elsewhere"]).flatMap((namespace) =>
    ["a", "b", "n", "m", "*", "other"].map((name) => ({ resource, namespace, name })),
  ),
);

/** True if the rules show the object to the subject. */
export function naiveVisible(lists: RbacLists, subject: Subject, object: JudgedObject, use: VisibilityUse): boolean {
  if (subject.groups.indexOf("system:masters") >= 0) return true;
  const [first = "", second] = object.resource.split("/");
  const served = second === undefined ? { apiGroups: [""], resource: first } : { apiGroups: [first], resource: second };
  const isAllowed = (verbs: readonly ("list" | "get" | "watch")[]): boolean =>
    requestsFor({ ...served, verbs }, object).some((request) => naiveAllows(lists, subject, request));
  return isAllowed(["list", "get"]) && (use === "list" || isAllowed(["watch"]));
}
