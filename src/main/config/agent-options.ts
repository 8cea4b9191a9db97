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
/** Verbs that read a kubeconfig. */
const kubeconfigVerbs = ["agent", "up", "cluster import"] as const;
const { pageSize, retryLimit } = defaultReflectorSettings;

/** The agent's identity and its connection to the cluster. */
const identityOptions = [
  {
    name: "cluster-id",
    type: "string",
    required: true,
    verbs: agentAndManifest,
    check: checkClusterId,
    description: "Name of the cluster in the fleet: lower-case letters, digits and inner dashes, at most 63.",
  },
  {
    name: "region",
    type: "string",
    default: "",
    verbs: agentManifestAndImport,
    description: "Region of the cluster. Clusters can be selected by it.",
  },
  {
    name: "environment",
    type: "string",
    default: "",
    verbs: agentManifestAndImport,
    description: "Purpose of the cluster, such as production. Clusters can be selected by it.",
  },
  {
    name: "cluster-version",
    type: "string",
    default: "",
    verbs: agent,
    description: "Release of the cluster, in its operators' own terms. Clusters can be selected by it.",
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
      "File with a join token from `flotilla cluster join --token-only`, read at each attempt to join. Needed until the agent's key is registered. A new token in the file later registers a new key.",
  },
  {
    name: "key-file",
    type: "path",
    verbs: agent,
    description:
      "File with the agent's key, created at first start. Default: in a cluster the Secret flotilla-agent-key in the agent's own namespace, elsewhere agent-CLUSTER.json in data-dir.",
  },
  {
    name: "admin-address",
    type: "string",
    default: "127.0.0.1",
    verbs: agent,
    check: checkHost,
    description: "Address that the admin port listens on. In a Pod use 0.0.0.0, for the kubelet's probes.",
  },
  {
    name: "kubeconfig",
    type: "path",
    verbs: kubeconfigVerbs,
    description:
      "Kubeconfig for the connection to clusters. Default: an agent uses the service account of its Pod, up adopts no cluster, and cluster import reads the files of KUBECONFIG or ~/.kube/config. For an agent, - means standard input, which is read once and treated as untrusted.",
  },
  {
    name: "context",
    type: "string",
    verbs: kubeconfigVerbs,
    description:
      "Context of the kubeconfig. For up and cluster import it may be a pattern, with * for any characters; each matching context becomes a cluster. Default: the current context.",
  },
] as const satisfies readonly OptionSpec[];

/** Which kinds and namespaces are collected. */
const collectionOptions = [
  {
    name: "object-reads",
    type: "boolean",
    default: "false",
    verbs: ["agent", "agent manifest", "cluster join", "cluster import"],
    description:
      "Read single objects for users of the hub, by impersonating the user. Only collected kinds, and never Secrets. The cluster's own RBAC decides. The agent needs the right to impersonate users and groups, which the manifest grants. Agents that a hub runs have it.",
  },
  {
    name: "namespaces",
    type: "list",
    default: "",
    verbs: agentAndManifest,
    check: checkNamespaces,
    description: "Namespaces to collect; others are neither listed nor sent. Default: all.",
  },
  {
    name: "exclude-namespaces",
    type: "list",
    default: "",
    verbs: agentAndManifest,
    check: checkNamespaces,
    description: "Namespaces to exclude; they are neither listed nor sent.",
  },
  {
    name: "kinds",
    type: "list",
    default: "",
    verbs: ["agent", "agent manifest", "up"],
    check: checkKinds,
    description:
      "Kinds to collect, each by a name that kubectl accepts or as GROUP/RESOURCE, where * means any text: default,cert-manager.io/*. `default` means the default kinds, * all kinds that the cluster serves except a short list (docs/spec/kinds.md, KI24). The four RBAC kinds are always collected. Of secrets only the names of their keys are collected.",
  },
  {
    name: "exclude-kinds",
    type: "list",
    default: "",
    verbs: agent,
    check: checkKinds,
    description: "Kinds to exclude, in the same form as --kinds.",
  },
] as const satisfies readonly OptionSpec[];

/** Intervals, timeouts and sizes. */
const paceOptions = [
  {
    name: "sync-interval",
    type: "duration",
    default: "30s",
    verbs: agent,
    check: isAboveZero,
    description: "Time between two full scans: digests if watches work, lists if they are refused.",
  },
  {
    name: "min-sync-interval",
    type: "duration",
    default: "100ms",
    verbs: agent,
    check: isAboveZero,
    description: "Minimum time between flushes and between scans. Scans by list are also at least 5 s apart.",
  },
  {
    name: "max-sync-interval",
    type: "duration",
    default: "5m",
    verbs: agent,
    check: isAboveZero,
    description: "Maximum time between scans.",
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
    description: "Maximum attempts of a failing list or watch in one scan. The next scan starts with a new count.",
  },
  {
    name: "retry-first",
    type: "duration",
    default: "800ms",
    verbs: agent,
    check: isAboveZero,
    description:
      "Longest wait after the first failure of a request to the API server. The actual wait is random up to this.",
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
    description: "Longest wait after the first failure to reach the hub. The actual wait is random up to this.",
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
    description: "Factor by which the wait grows with each failure, for the API server and the hub.",
  },
  {
    name: "reconnect-stable",
    type: "duration",
    default: "60s",
    verbs: agent,
    description: "How long a session must have been open before earlier failures no longer count.",
  },
  {
    name: "page-size",
    type: "integer",
    min: 1,
    max: 10_000,
    default: String(pageSize),
    verbs: agent,
    description: "Objects per page of a list.",
  },
  {
    name: "max-object-size",
    type: "bytes",
    default: "8MB",
    verbs: agent,
    description: "Largest object that is read. A larger one is skipped and reported.",
  },
  {
    name: "watch-silence",
    type: "duration",
    default: "150s",
    verbs: agent,
    check: atLeastMs(1_000, "1s"),
    description:
      "A watch without any event for this time is restarted. API servers send a bookmark about every minute.",
  },
  {
    name: "relist-interval",
    type: "duration",
    default: "0",
    verbs: agent,
    description: "How often a kind is listed again although its watch works. 0 means never.",
  },
  {
    name: "discovery-interval",
    type: "duration",
    default: "60s",
    verbs: agent,
    check: atLeastMs(1_000, "1s"),
    description:
      "How often the agent reads which kinds the API server serves. A changed CustomResourceDefinition is noticed at once.",
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
      "Probe at every interval. Otherwise the API server is probed only when a watch or its connection breaks, or on request.",
  },
] as const satisfies readonly OptionSpec[];

/** Options of `agent manifest` only. */
const manifestOptions = [
  {
    name: "constrained-impersonation",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["agent manifest"],
    description:
      "With object-reads, grant only the right to read single objects as users. Needs Kubernetes 1.36 or later. Default: the right to impersonate users and groups, which every version supports.",
  },
  {
    name: "image",
    type: "string",
    sources: ["flag"],
    verbs: ["agent manifest"],
    check: checkImage,
    description: "Container image of this manifest, by tag or digest. Default: agent-image.",
  },
  {
    name: "join-secret",
    type: "string",
    default: "flotilla-join-token",
    sources: ["flag"],
    verbs: ["agent manifest"],
    description:
      "Secret in the namespace flotilla whose key `token` is the join token. Create it by hand, so that no manifest contains the token.",
  },
] as const satisfies readonly OptionSpec[];

/** All options of an agent. */
export const agentOptions = [...identityOptions, ...collectionOptions, ...paceOptions, ...manifestOptions] as const;
