// SPDX-License-Identifier: Apache-2.0
import { kubernetesBootstrap } from "../../gen/kubernetes/bootstrap-policy.ts";
import { aggregateRules, isAggregated } from "../controllers/aggregate-roles.ts";
import { copyJson, type DraftObject, isObject, type JsonObject } from "../json/json.ts";
import { objectAt, objectsAt, textAt } from "../json/json-fields.ts";

/** The RBAC objects and priority classes of a new cluster, ready to be created. */
export interface BootstrapPolicy {
  /** Aggregated roles have no rules here. */
  readonly clusterRoles: readonly JsonObject[];
  readonly clusterRoleBindings: readonly JsonObject[];
  readonly roles: readonly JsonObject[];
  readonly roleBindings: readonly JsonObject[];
  readonly priorityClasses: readonly JsonObject[];
}

/** Reads the generated facts. It takes about a millisecond, so the result is not cached. */
export function readBootstrapPolicy(): BootstrapPolicy {
  const facts = JSON.parse(kubernetesBootstrap) as DraftObject;
  const marked = (name: string): readonly JsonObject[] =>
    objectsAt(facts, name).map((each) => withMetadata(facts, each));
  return {
    clusterRoles: marked("clusterRoles"),
    clusterRoleBindings: marked("clusterRoleBindings"),
    roles: marked("roles"),
    roleBindings: marked("roleBindings"),
    priorityClasses: objectsAt(facts, "priorityClasses").map(({ name = "", ...rest }) => ({
      metadata: { name },
      ...rest,
    })),
  };
}

function withMetadata(facts: JsonObject, fact: JsonObject): JsonObject {
  const { name = "", namespace, labels, annotations, ...rest } = fact;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...objectAt(facts, "labels"), ...(isObject(labels) ? labels : {}) },
      annotations: { ...objectAt(facts, "annotations"), ...(isObject(annotations) ? annotations : {}) },
    },
    ...rest,
  };
}

/** Computes the rules of aggregated roles, so that a new cluster does not wait for aggregation. */
export function withAggregatedRules(roles: readonly JsonObject[]): readonly JsonObject[] {
  let current = roles;
  // An aggregated role may select another aggregated role, whose rules are complete one round later.
  for (let round = roles.filter(isAggregated).length; round > 0; round -= 1)
    current = current.map((role) =>
      isAggregated(role) ? { ...copyJson(role), rules: aggregateRules(role, current) } : role,
    );
  return current;
}

/** The name in an object's metadata. */
export function nameOf(object: JsonObject): string {
  return textAt(object, "metadata", "name") ?? "";
}
