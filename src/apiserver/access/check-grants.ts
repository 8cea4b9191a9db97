// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import { type Authorizer, mastersGroup } from "../../rbac/authorizer-chain.ts";
import { checkBindingWrite, checkRoleWrite, type GrantCheck } from "../../rbac/grant-check.ts";
import type { Policy } from "../../rbac/policy.ts";
import { parseClusterRole, parseClusterRoleBinding, parseRole, parseRoleBinding } from "../../rbac/rbac-parse.ts";
import { rbacApiGroup } from "../../rbac/rbac-types.ts";
import { isEqualJson, type JsonObject } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import { ApiError, forbidden, notFound } from "../status/api-error.ts";
import { type ObjectTarget, resourceName } from "../verbs/api-cluster.ts";

/** The policy and the authorizer that grants are checked with. */
export interface GrantContext {
  readonly policy: Policy;
  readonly authorizer: Authorizer;
}

/**
 * Refuses a role or binding that would grant rights which the user does not hold. Objects of other kinds pass. A write
 * that leaves the grants unchanged passes too, so that labelling a role does not require its rights.
 */
export function checkGrants(
  context: GrantContext,
  target: ObjectTarget,
  object: JsonObject,
  old: JsonObject | undefined,
): void {
  const { facts } = target.resource;
  if (facts.group !== rbacApiGroup || target.user.groups.includes(mastersGroup) || givesTheSame(object, old)) return;
  const check = evaluateGrants({ ...context, user: target.user }, target, object, old);
  if (check.outcome === "allowed") return;
  const name = objectName(target, object);
  if (check.outcome === "roleNotFound") throw roleNotFound(target, object, check.message);
  throw forbidden(resourceName(target.resource), name, check.message);
}

function evaluateGrants(
  context: GrantContext & { readonly user: Subject },
  { resource, name, namespace }: ObjectTarget,
  object: JsonObject,
  old: JsonObject | undefined,
): GrantCheck {
  const metadata = {
    name: "unnamed",
    ...(object["metadata"] as JsonObject | undefined),
    ...(namespace === "" ? {} : { namespace }),
  };
  const whole = { ...object, metadata };
  switch (resource.facts.kind) {
    case "Role":
      return checkRoleWrite(context, { role: parseRole(whole), requestName: name, isAggregated: false });
    case "ClusterRole":
      return checkRoleWrite(context, {
        role: parseClusterRole(whole),
        requestName: name,
        isAggregated: hasAggregation(object) || (old !== undefined && hasAggregation(old)),
      });
    case "RoleBinding":
      return checkBindingWrite(context, parseRoleBinding(whole));
    default:
      return checkBindingWrite(context, parseClusterRoleBinding(whole));
  }
}

function hasAggregation(role: JsonObject): boolean {
  const rule = role["aggregationRule"];
  return rule !== undefined && rule !== null && (listAt(rule, "clusterRoleSelectors") ?? []).length > 0;
}

function givesTheSame(object: JsonObject, old: JsonObject | undefined): boolean {
  if (old === undefined) return false;
  return ["rules", "aggregationRule", "subjects", "roleRef"].every((key) =>
    isEqualJson(object[key] ?? [], old[key] ?? []),
  );
}

function objectName({ name }: ObjectTarget, object: JsonObject): string {
  if (name !== "") return name;
  const { metadata } = object as { readonly metadata?: JsonObject };
  const given = metadata?.["name"];
  return typeof given === "string" ? given : "";
}

/** As in kube-apiserver, the details name the written resource instead of the role's. */
function roleNotFound({ resource }: ObjectTarget, object: JsonObject, message: string): ApiError {
  const { details } = notFound(resourceName(resource), textAt(object, "roleRef", "name") ?? "");
  return new ApiError(404, "NotFound", message, details === undefined ? {} : { details });
}
