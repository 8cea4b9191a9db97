// SPDX-License-Identifier: Apache-2.0
import { checkIdTemplate } from "../../cli/cluster/context-id.ts";
import type { OptionSpec } from "./option.ts";
import { atLeastMs, checkClusterId, checkNotEmpty } from "./option-checks.ts";

/** Arguments of the verbs about clusters and their rows: flags only, each for a single call. */
export const clusterOptions = [
  {
    name: "selector",
    type: "string",
    default: "",
    short: "l",
    sources: ["flag"],
    verbs: ["cluster list", "cluster watch", "get"],
    description:
      "Label selector over the clusters' labels and their region, environment and version, such as environment=staging,tier!=test. Default: all clusters.",
    variants: {
      get: { description: "Label selector over the objects, such as app=web,tier!=test. Default: all objects." },
    },
  },
  {
    name: "kind",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: ["cluster rows", "changes"],
    description:
      "Kinds to print, each by a name that kubectl accepts, such as pods, po, Deployment or deploy.apps, or as GROUP/RESOURCE. Default: all.",
  },
  {
    name: "namespace",
    type: "string",
    default: "",
    short: "n",
    sources: ["flag"],
    verbs: ["cluster object", "hint", "get", "relations", "access explain", "access who"],
    description: "Namespace of the object. Omit it for cluster-scoped kinds.",
    variants: { get: { description: "Only objects of this namespace. Default: all namespaces." } },
  },
  {
    name: "token-only",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster join"],
    description:
      "Print a join token instead of the line that installs an agent, for use in your own manifest. ID may then be a pattern, with * for any characters.",
  },
  {
    name: "wait",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster join"],
    description: "Follow the join step by step until the cluster is live.",
  },
  {
    name: "uses",
    type: "integer",
    min: 1,
    max: 10_000,
    default: "1",
    sources: ["flag"],
    verbs: ["cluster join"],
    description: "With token-only, how many clusters may join with the token.",
  },
  {
    // 1 hour: the token is copied from one terminal to another.
    name: "join-ttl",
    type: "duration",
    default: "1h",
    sources: ["flag"],
    verbs: ["cluster join"],
    check: atLeastMs(1_000, "1s"),
    description: "With token-only, how long the token is valid. Clusters that joined with it stay.",
  },
  {
    name: "needs-approval",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster join"],
    description: "A cluster that joins waits until an administrator runs cluster approve.",
  },
  {
    name: "all-contexts",
    type: "string",
    sources: ["flag"],
    verbs: ["cluster import"],
    check: checkNotEmpty,
    description: "Import every context whose name matches, with * for any characters. The same as context with a *.",
  },
  {
    name: "id-template",
    type: "string",
    sources: ["flag"],
    verbs: ["cluster import"],
    check: checkIdTemplate,
    description:
      "Template for the ids of imported clusters: text with {name}, {region}, {project} and {context}, which are taken from the context names of EKS, eksctl and GKE. Characters other than letters and digits become dashes. Default: {name}.",
  },
  {
    name: "own-credential",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster import"],
    description:
      "Give the hub the credential of the context itself, with all its rights, and create no service account. Not possible for a credential from an exec plugin.",
  },
  {
    name: "as",
    type: "string",
    sources: ["flag"],
    verbs: ["cluster import"],
    check: checkClusterId,
    description: "Name of the cluster. Default: from id-template.",
  },
  {
    name: "revoke",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster rotate"],
    description:
      "Revoke the present key at once and end its session, for a key that may have leaked. The cluster is disconnected until its agent starts with the new join token. By default the running agent keeps the present key until the new one is first used.",
  },
  {
    name: "yes",
    type: "boolean",
    default: "false",
    short: "y",
    sources: ["flag"],
    verbs: ["cluster accept", "cluster remove"],
    description: "Do not ask for confirmation. Required if the command does not run in a terminal.",
  },
  {
    name: "cluster",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: ["changes", "get", "compare", "access rules"],
    description: "Clusters whose changes are shown. A cluster that the hub does not know is refused. Default: all.",
    variants: {
      get: { description: "Only objects of these clusters, with * for any characters. Default: all." },
      compare: { description: "Clusters to compare, with * for any characters. Default: all that match the query." },
      "access rules": { description: "Only rules of these clusters, with * for any characters. Default: all." },
    },
  },
  {
    name: "position",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["changes"],
    description:
      "Position to continue from, as printed by an earlier call. Default: the oldest change that the hub has, or with --follow now.",
  },
  {
    name: "follow",
    type: "boolean",
    default: "false",
    short: "f",
    sources: ["flag"],
    verbs: ["changes"],
    description: "Keep printing changes as they happen.",
  },
] as const satisfies readonly OptionSpec[];
