// SPDX-License-Identifier: Apache-2.0
import { checkIdTemplate } from "../../cli/context-id.ts";
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
    verbs: ["cluster list", "cluster watch"],
    description:
      "Label selector over the clusters' labels and their region, environment and version, such as environment=staging,tier!=test. Left out, all clusters.",
  },
  {
    name: "kind",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: ["cluster rows", "changes"],
    description:
      "Kinds to print, each by any name that kubectl takes, such as pods, po, Deployment or deploy.apps, or as GROUP/RESOURCE. Left out, all.",
  },
  {
    name: "namespace",
    type: "string",
    default: "",
    short: "n",
    sources: ["flag"],
    verbs: ["cluster object"],
    description: "Namespace of the object. Left out for kinds that have none.",
  },
  {
    name: "token-only",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster join"],
    description:
      "Print a join token in place of the line that installs an agent, for a manifest that is written another way. ID may then be a pattern, with * for any characters.",
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
    // An hour: the token goes from one terminal to the next.
    name: "join-ttl",
    type: "duration",
    default: "1h",
    sources: ["flag"],
    verbs: ["cluster join"],
    check: atLeastMs(1_000, "1s"),
    description: "With token-only, how long clusters may join with the token. Those that joined stay.",
  },
  {
    name: "needs-approval",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster join"],
    description: "Let a cluster that joins wait until an administrator runs cluster approve.",
  },
  {
    name: "all-contexts",
    type: "string",
    sources: ["flag"],
    verbs: ["cluster import"],
    check: checkNotEmpty,
    description: "Import every context whose name fits, with * for any characters. The same as context with a *.",
  },
  {
    name: "id-template",
    type: "string",
    sources: ["flag"],
    verbs: ["cluster import"],
    check: checkIdTemplate,
    description:
      "How the ids of imported clusters are made: text with {name}, {region}, {project} and {context}, which are taken from the names that EKS, eksctl and GKE give to contexts. Other characters than letters and digits become dashes. Left out, {name}.",
  },
  {
    name: "own-credential",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster import"],
    description:
      "Give the hub the credential of the context itself, with all its rights, and make no service account. Not possible for one that comes from a program.",
  },
  {
    name: "as",
    type: "string",
    sources: ["flag"],
    verbs: ["cluster import"],
    check: checkClusterId,
    description: "What the cluster is to be called. Left out, as id-template says.",
  },
  {
    name: "revoke",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["cluster rotate"],
    description:
      "End the present key at once and cut its session, for a key that may be in wrong hands: the cluster is disconnected until its agent starts with the new join token. Left out, the running agent keeps the present key until the new one is first used.",
  },
  {
    name: "yes",
    type: "boolean",
    default: "false",
    short: "y",
    sources: ["flag"],
    verbs: ["cluster accept", "cluster remove"],
    description: "Do not ask for confirmation. Needed where the command does not run from a terminal.",
  },
  {
    name: "cluster",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: ["changes"],
    description: "Clusters whose changes are shown. One that the hub does not know is refused. Left out, all.",
  },
  {
    name: "position",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["changes"],
    description:
      "Where to go on, as an earlier call gave it. Left out, from the oldest change the hub still knows, or with --follow from now on.",
  },
  {
    name: "follow",
    type: "boolean",
    default: "false",
    short: "f",
    sources: ["flag"],
    verbs: ["changes"],
    description: "Go on with each change as it happens.",
  },
] as const satisfies readonly OptionSpec[];
