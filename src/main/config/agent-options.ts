// SPDX-License-Identifier: Apache-2.0
import { defaultReflectorSettings } from "../../kube/reflector/reflector-options.ts";
import type { OptionSpec } from "./option.ts";
import {
  atLeastMs,
  checkClusterId,
  checkHost,
  checkImage,
  checkKinds,
  checkLabelPairs,
  checkNamespaces,
  isAboveZero,
} from "./option-checks.ts";

const agent = ["agent"] as const;
const agentAndManifest = ["agent", "agent manifest"] as const;
const agentAndImport = ["agent", "cluster import"] as const;
const agentManifestAndImport = ["agent", "agent manifest", "cluster import", "cluster join"] as const;
/** Who reads a kubeconfig. */
const kubeconfigVerbs = ["agent", "up", "cluster import"] as const;
const { pageSize, retryLimit } = defaultReflectorSettings;

/** Who an agent is and how it reaches its cluster. */
const identityOptions = [
  {
    name: "cluster-id",
    type: "string",
    required: true,
    verbs: agentAndManifest,
    check: checkClusterId,
    description: "What the cluster is called everywhere: lower-case letters, digits and inner dashes, at most 63.",
  },
  {
    name: "region",
    type: "string",
    default: "",
    verbs: agentManifestAndImport,
    description: "Where the cluster is. Clusters can be selected by it.",
  },
  {
    name: "environment",
    type: "string",
    default: "",
    verbs: agentManifestAndImport,
    description: "What the cluster is for, such as production. Clusters can be selected by it.",
  },
  {
    name: "cluster-version",
    type: "string",
    default: "",
    verbs: agent,
    description: "What its operators call the present release of the cluster. Clusters can be selected by it.",
  },
  {
    name: "labels",
    type: "list",
    default: "",
    verbs: agentAndImport,
    check: checkLabelPairs,
    description: "Labels of the cluster, each as KEY=VALUE.",
  },
  {
    name: "join-token-file",
    type: "path",
    verbs: agent,
    description:
      "File with a join token from `flotilla cluster join --token-only`, read at each attempt to join. Needed until the agent's key is registered; another token in it later registers another key.",
  },
  {
    name: "key-file",
    type: "path",
    verbs: agent,
    description:
      "File that holds the agent's key; it is made at first start. Left out, in a cluster the Secret flotilla-agent-key of the agent's own namespace, elsewhere agent-CLUSTER.json in data-dir.",
  },
  {
    name: "admin-address",
    type: "string",
    default: "127.0.0.1",
    verbs: agent,
    check: checkHost,
    description: "Address that the admin port listens on. In a Pod it is 0.0.0.0, for the kubelet's probes.",
  },
  {
    name: "kubeconfig",
    type: "path",
    verbs: kubeconfigVerbs,
    description:
      "Kubeconfig to reach clusters by. Left out, an agent is the service account of its Pod, up adopts no cluster, and cluster import reads the files of KUBECONFIG or ~/.kube/config. An agent takes - for standard input, read once and held to what a kubeconfig may hold that somebody sent.",
  },
  {
    name: "context",
    type: "string",
    verbs: kubeconfigVerbs,
    description:
      "Context of the kubeconfig. For up and cluster import it may stand for several, with * for any characters, and each becomes a cluster. Left out, the current one.",
  },
] as const satisfies readonly OptionSpec[];

/** What is collected. */
const collectionOptions = [
  {
    name: "object-reads",
    type: "boolean",
    default: "false",
    verbs: ["agent", "agent manifest", "cluster join", "cluster import"],
    description:
      "Read single objects for users of the hub, as the user. Of what is collected, Secrets never; the cluster's own RBAC decides, for which the agent needs the right to impersonate users and groups: a manifest grants it. Agents beside a hub have it.",
  },
  {
    name: "namespaces",
    type: "list",
    default: "",
    verbs: agentAndManifest,
    check: checkNamespaces,
    description: "Namespaces to collect; others are neither listed nor sent. Left out, all.",
  },
  {
    name: "exclude-namespaces",
    type: "list",
    default: "",
    verbs: agentAndManifest,
    check: checkNamespaces,
    description: "Namespaces to leave out; they are neither listed nor sent.",
  },
  {
    name: "kinds",
    type: "list",
    default: "",
    verbs: ["agent", "agent manifest", "up"],
    check: checkKinds,
    description:
      "Kinds to collect, each by a name that kubectl takes or as GROUP/RESOURCE, where * stands for any text: default,cert-manager.io/*. `default` is what is collected where this is left out, * all that the cluster serves but a short list (docs/spec/kinds.md, KI24). The four kinds of RBAC always are. secrets gives the names of their keys.",
  },
  {
    name: "exclude-kinds",
    type: "list",
    default: "",
    verbs: agent,
    check: checkKinds,
    description: "Kinds to leave out, written as those of --kinds.",
  },
] as const satisfies readonly OptionSpec[];

/** How often, how long, how much. */
const paceOptions = [
  {
    name: "sync-interval",
    type: "duration",
    default: "30s",
    verbs: agent,
    check: isAboveZero,
    description: "Time between two full scans: digests where watches work, lists where they are refused.",
  },
  {
    name: "min-sync-interval",
    type: "duration",
    default: "100ms",
    verbs: agent,
    check: isAboveZero,
    description:
      "Flushes and scans are never closer than this. Scans that have to list are never closer than 5 s either.",
  },
  {
    name: "max-sync-interval",
    type: "duration",
    default: "5m",
    verbs: agent,
    check: isAboveZero,
    description: "Scans are never further apart than this.",
  },
  {
    name: "connect-timeout",
    type: "duration",
    default: "10s",
    verbs: agent,
    check: isAboveZero,
    description: "How long an attempt to connect may take, to the hub and to the API server.",
  },
  {
    name: "retry-limit",
    type: "integer",
    min: 1,
    max: 1_000,
    default: String(retryLimit),
    verbs: agent,
    description: "How often a failing list or watch is tried in one scan. The next scan begins anew.",
  },
  {
    name: "retry-first",
    type: "duration",
    default: "800ms",
    verbs: agent,
    check: isAboveZero,
    description:
      "Longest wait after the first failure of a request to the API server; the wait itself is drawn below it.",
  },
  {
    name: "retry-cap",
    type: "duration",
    default: "30s",
    verbs: agent,
    check: isAboveZero,
    description: "Longest wait after any number of failures of requests to the API server.",
  },
  {
    name: "reconnect-first",
    type: "duration",
    default: "500ms",
    verbs: agent,
    check: isAboveZero,
    description: "Longest wait after the first failure to reach the hub; the wait itself is drawn below it.",
  },
  {
    name: "reconnect-cap",
    type: "duration",
    default: "30s",
    verbs: agent,
    check: isAboveZero,
    description: "Longest wait after any number of failures to reach the hub.",
  },
  {
    name: "backoff-factor",
    type: "integer",
    min: 1,
    max: 10,
    default: "2",
    verbs: agent,
    description: "How much longer each further wait may be, for both.",
  },
  {
    name: "reconnect-stable",
    type: "duration",
    default: "60s",
    verbs: agent,
    description: "How long a session must have lived for earlier failures to be forgotten.",
  },
  {
    name: "page-size",
    type: "integer",
    min: 1,
    max: 10_000,
    default: String(pageSize),
    verbs: agent,
    description: "Objects of one page of a list.",
  },
  {
    name: "max-object-size",
    type: "bytes",
    default: "8MB",
    verbs: agent,
    description: "Largest object that is read. A larger one is left out and reported.",
  },
  {
    name: "watch-silence",
    type: "duration",
    default: "150s",
    verbs: agent,
    check: atLeastMs(1_000, "1s"),
    description: "A watch that says nothing for so long is begun anew. API servers say something about every minute.",
  },
  {
    name: "relist-interval",
    type: "duration",
    default: "0",
    verbs: agent,
    description: "How often a kind is listed anew although its watch works. 0 never does.",
  },
  {
    name: "discovery-interval",
    type: "duration",
    default: "60s",
    verbs: agent,
    check: atLeastMs(1_000, "1s"),
    description:
      "How often the agent asks which kinds the API server serves. A definition that changes is noticed at once.",
  },
  {
    name: "health-interval",
    type: "duration",
    default: "10s",
    verbs: agent,
    check: isAboveZero,
    description: "Time between two probes of the API server.",
  },
  {
    name: "health-timeout",
    type: "duration",
    default: "5s",
    verbs: agent,
    check: isAboveZero,
    description: "How long a probe may take; shorter than health-interval.",
  },
  {
    name: "health-poll",
    type: "boolean",
    default: "true",
    verbs: agent,
    description:
      "Probe at every interval. Without it the API server is probed only when a watch or a request gives reason to.",
  },
] as const satisfies readonly OptionSpec[];

/** What only a manifest needs. */
const manifestOptions = [
  {
    name: "constrained-impersonation",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["agent manifest"],
    description:
      "With object-reads, grant no more than reading single objects as users. Needs Kubernetes 1.36 or later, whose API server knows such rights; left out, the right to impersonate users and groups is granted as every version knows it.",
  },
  {
    name: "image",
    type: "string",
    sources: ["flag"],
    verbs: ["agent manifest"],
    check: checkImage,
    description: "Container image of this manifest, by tag or digest. Left out, agent-image.",
  },
  {
    name: "join-secret",
    type: "string",
    default: "flotilla-join-token",
    sources: ["flag"],
    verbs: ["agent manifest"],
    description:
      "Secret in the namespace flotilla whose key token is the join token. It is made by hand, so that no manifest holds it.",
  },
] as const satisfies readonly OptionSpec[];

/** What an agent is run with. */
export const agentOptions = [...identityOptions, ...collectionOptions, ...paceOptions, ...manifestOptions] as const;
