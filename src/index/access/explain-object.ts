// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import { createClusterAuthorizer, mastersGroup } from "../../rbac/authorizer-chain.ts";
import { type Explanation, explainVisible, type MissingGrant } from "../../rbac/explain.ts";
import type { PolicyRule, RbacSubject } from "../../rbac/rbac-types.ts";
import { requestsFor, type VisibilityScope } from "../../rbac/visibility-requests.ts";
import { type BindingName, bindingName } from "./access-holder.ts";
import type { ClusterGrants } from "./cluster-grants.ts";
import { listScope, watchScope } from "./resource-scope.ts";
import type { VisibilityUse } from "./subject-grants.ts";
import type { JudgedObject } from "./who-can-see.ts";

/** The grant that shows an object. */
export interface ShowingGrant {
  readonly binding: BindingName;
  readonly rule: PolicyRule;
  /** The user, group or service account of the binding that the subject is. */
  readonly subject: RbacSubject;
}

/** Why a subject may see an object, or may not. */
export interface ObjectExplanation {
  readonly isVisible: boolean;
  /** One sentence. It names bindings and roles of the cluster that apply to the subject. */
  readonly sentence: string;
  /** Set if a binding shows it; a member of `system:masters` needs none. */
  readonly via?: ShowingGrant;
  /** Set unless visible: the verb that is missing and the smallest grant that would do. */
  readonly missing?: MissingGrant;
}

/**
 * Explains by the rules that enforce it. The answer depends on RBAC objects alone: it is the same whether the object
 * exists or not. For `live`, a missing `watch` is explained if the object is visible in lists. Throws INVALID_ARGUMENT
 * for a resource of another form than `apps/deployments`.
 */
export function explainObject(
  access: ClusterGrants,
  subject: Subject,
  object: JudgedObject,
  use: VisibilityUse = "list",
): ObjectExplanation {
  if (subject.groups.includes(mastersGroup)) {
    return { isVisible: true, sentence: `Allowed before RBAC: the group "${mastersGroup}" may read every object.` };
  }
  const listed = explainScope(access, subject, object, listScope(object.resource));
  if (use === "list" || !listed.isVisible) return listed;
  return explainScope(access, subject, object, watchScope(object.resource));
}

function explainScope(
  { policy }: ClusterGrants,
  subject: Subject,
  { namespace, name }: JudgedObject,
  scope: VisibilityScope,
): ObjectExplanation {
  const requests = requestsFor(scope, { namespace, name });
  return toObjectExplanation(explainVisible(createClusterAuthorizer(policy), subject, requests));
}

function toObjectExplanation({ verdict, sentence, missing }: Explanation): ObjectExplanation {
  const isVisible = verdict.decision === "allow";
  const { via } = verdict;
  return {
    isVisible,
    sentence,
    ...(via === undefined
      ? {}
      : { via: { binding: bindingName(via.binding), rule: via.rule, subject: via.subject } satisfies ShowingGrant }),
    ...(missing === undefined ? {} : { missing }),
  };
}
