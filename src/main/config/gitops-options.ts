// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { atLeastMs, checkNamespaces } from "./option-checks.ts";
import { hubVerbs } from "./verb-groups.ts";

/** Options of the collector, which imports the clusters that GitopsCluster objects declare. */
export const gitopsOptions = [
  {
    name: "gitops-kubeconfig",
    type: "path",
    verbs: hubVerbs,
    description:
      "Kubeconfig of the management cluster. The hub imports the clusters that its GitopsCluster objects declare, takes up changed Secrets and removes the clusters of deleted objects. Default: no management cluster is followed.",
  },
  {
    name: "gitops-context",
    type: "string",
    verbs: hubVerbs,
    description: "Context of gitops-kubeconfig. Default: its current context.",
  },
  {
    name: "gitops-namespaces",
    type: "list",
    default: "",
    verbs: hubVerbs,
    check: checkNamespaces,
    description: "Namespaces of the management cluster in which GitopsCluster objects are followed. Default: all.",
  },
  {
    name: "gitops-interval",
    type: "duration",
    default: "30s",
    verbs: hubVerbs,
    check: atLeastMs(1_000, "1s"),
    description:
      "Time between two reads of the Secret of a GitopsCluster, give or take a tenth. Changed objects are read at once.",
  },
] as const satisfies readonly OptionSpec[];
