// SPDX-License-Identifier: Apache-2.0
// Kinds whose objects change when their deletion is requested, or that refuse it.

import { finalizersForDeletion, terminatingConditions, withCondition } from "../crd/definition/crd-conditions.ts";
import { ensureObject } from "../json/json.ts";
import { objectsAt, textOf } from "../json/json-fields.ts";
import type { Strategy } from "../resources/strategy.ts";
import { forbidden } from "../status/api-error.ts";
import { protectedNamespaces } from "./core/namespace.ts";
import { systemPriorities } from "./scheduling/priority-class.ts";

/** Keyed by the text of the resource id (CO2). */
export const deletionRules: Readonly<Record<string, NonNullable<Strategy["prepareForDelete"]>>> = {
  namespaces(namespace) {
    const name = textOf(namespace, "metadata", "name");
    if (protectedNamespaces.has(name))
      throw forbidden({ group: "", resource: "namespaces" }, name, "this namespace may not be deleted");
    ensureObject(namespace, "status")["phase"] = "Terminating";
  },
  "apiextensions.k8s.io/customresourcedefinitions"(crd, time) {
    ensureObject(crd, "metadata")["finalizers"] = [...finalizersForDeletion(crd)];
    const conditions = withCondition(objectsAt(crd, "status", "conditions"), terminatingConditions.pending, time);
    ensureObject(crd, "status")["conditions"] = conditions;
  },
  "scheduling.k8s.io/priorityclasses"(priorityClass) {
    const name = textOf(priorityClass, "metadata", "name");
    if (systemPriorities.has(name)) {
      const resource = { group: "scheduling.k8s.io", resource: "priorityclasses" };
      throw forbidden(resource, name, "this is a system priority class and cannot be deleted");
    }
  },
};
