// SPDX-License-Identifier: Apache-2.0
import { conditionsOf, findCondition } from "../conditions.ts";
import { textOf } from "../fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "../kind.ts";
import { conditionFacts } from "./condition-facts.ts";

/** GatewayClasses: which controller serves Gateways of the class. `Accepted` decides the status (KI10). */
export const gatewayClassKind: Kind = {
  resource: { group: "gateway.networking.k8s.io", resource: "gatewayclasses" },
  kind: "GatewayClass",
  versions: ["v1", "v1beta1"],
  isNamespaced: false,
  columns: [
    { name: "controller", type: "string", isMain: true },
    { name: "accepted", type: "string" },
    { name: "description", type: "string" },
  ],
  project: projectGatewayClass,
};

function projectGatewayClass(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "controller", textOf(object, "spec", "controllerName"));
  setColumn(columns, "accepted", findCondition(conditionsOf(object), "Accepted")?.status);
  setColumn(columns, "description", textOf(object, "spec", "description"));
  return { columns, reconcile: conditionFacts(object, [object]) };
}
