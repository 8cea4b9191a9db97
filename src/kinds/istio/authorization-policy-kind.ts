// SPDX-License-Identifier: Apache-2.0
import { listOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, type Kind, type Projected, setColumn } from "../kind.ts";
import { defaultedColumn, setWithDefaults } from "./defaulted.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

/**
 * AuthorizationPolicies: selected workloads, action and number of rules. Rules compare headers and claims, which may be
 * secrets, and are not collected (L18).
 */
export const authorizationPolicyKind: Kind = {
  resource: { group: "security.istio.io", resource: "authorizationpolicies" },
  kind: "AuthorizationPolicy",
  versions: ["v1", "v1beta1"],
  isNamespaced: true,
  isConfiguration: true,
  usesFacts: true,
  columns: [
    ...selectionColumns,
    { name: "action", type: "string", isMain: true },
    { name: "ruleCount", type: "integer", isMain: true },
    { name: "provider", type: "string" },
    defaultedColumn,
  ],
  project: projectAuthorizationPolicy,
};

function projectAuthorizationPolicy(object: unknown, facts: ClusterFacts): Projected {
  const columns: Columns = new Map();
  setSelection(columns, object, facts);
  setWithDefaults(columns, { action: [textOf(object, "spec", "action"), "ALLOW"] });
  // Set even if 0: ALLOW without a rule allows no request.
  columns.set("ruleCount", listOf(object, "spec", "rules").length);
  setColumn(columns, "provider", textOf(object, "spec", "provider", "name"));
  return { columns, ...istioStatus(object) };
}
