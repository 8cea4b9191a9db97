// SPDX-License-Identifier: Apache-2.0
import { maxReviewCount } from "../../session/access-samples/access-sample.ts";
import type { OptionSpec } from "./option.ts";
import { isAboveZero } from "./option-checks.ts";
import { hubVerbs } from "./verb-groups.ts";

/** Options for clusters that have other authorizers than RBAC. */
export const accessOptions = [
  {
    name: "authorizer-mode",
    type: "choice",
    choices: ["rbacFirst", "closed"],
    default: "rbacFirst",
    verbs: hubVerbs,
    description:
      "What users see of a cluster that has, or may have, other authorizers than RBAC. rbacFirst shows what its RBAC objects allow, marked as possibly incomplete. closed shows nothing.",
  },
  {
    // Six requests a minute are nothing to an API server, and find a difference in one of a hundred within a day.
    name: "access-samples",
    type: "integer",
    min: 0,
    max: maxReviewCount,
    default: "6",
    verbs: hubVerbs,
    description:
      "Samples of access decisions that the hub compares with each cluster's own, per minute. 0 means none. The agent needs the right to create SubjectAccessReviews, which its manifest grants.",
  },
  {
    name: "grants-bound",
    type: "duration",
    default: "150s",
    verbs: hubVerbs,
    check: isAboveZero,
    description:
      "How far the RBAC objects of a cluster may be behind its other rows. Longer, the rows are withheld with that reason, until the RBAC objects are current again.",
  },
  {
    name: "viewer-groups",
    type: "list",
    default: "flotilla:admins",
    verbs: ["agent manifest"],
    description:
      "Groups of the hub's users that the manifest lets read the kinds that the agent collects, except Secrets. They then see the cluster's rows. Others see what the cluster's own RBAC allows them. Empty means none.",
  },
  {
    name: "access-reviews",
    type: "boolean",
    default: "true",
    verbs: ["agent", "agent manifest"],
    description:
      "Answer the hub's samples of access decisions by SubjectAccessReviews, at most 30 a minute. With false the manifest does not grant the right to create them.",
  },
] as const satisfies readonly OptionSpec[];
