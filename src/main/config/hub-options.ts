// SPDX-License-Identifier: Apache-2.0
import { defaultListenerLimits, defaultUnauthenticatedLimits } from "../../rpc/listener/listener-limits.ts";
import type { OptionSpec } from "./option.ts";
import {
  atLeastMs,
  checkHost,
  checkHosts,
  checkImage,
  checkMessageSize,
  checkPublicUrl,
  checkResources,
  checkSecretNames,
} from "./option-checks.ts";
import { hubVerbs } from "./verb-groups.ts";

const ports = { min: 0, max: 65_535 } as const;

/** Options of a hub. */
export const hubOptions = [
  {
    name: "address",
    type: "string",
    default: "127.0.0.1",
    verbs: hubVerbs,
    check: checkHost,
    description: "Address that the TLS port listens on. Use 0.0.0.0 or :: to accept connections from other machines.",
  },
  {
    name: "port",
    type: "integer",
    ...ports,
    default: "7443",
    verbs: hubVerbs,
    description: "TLS port for agents, people and scripts. 0 means any free port.",
  },
  {
    name: "http-port",
    type: "integer",
    ...ports,
    default: "7080",
    verbs: hubVerbs,
    description: "Plain HTTP port, on the loopback address only. 0 means any free port.",
  },
  {
    name: "admin-port",
    type: "integer",
    ...ports,
    verbs: [...hubVerbs, "agent"],
    description:
      "Extra port for /metrics, /livez, /readyz and /healthz only. Default: they are served on the other ports only. 0 means any free port.",
  },
  {
    name: "cluster-identities",
    type: "path",
    verbs: hubVerbs,
    description:
      "YAML file of a list that says who the hub's users are in clusters: clusters (a glob), userPrefix, groupPrefix, users and groups (maps from names at the hub to names in the cluster). The first entry that matches a cluster counts. Default: the same names as at the hub, without those that begin with system:.",
  },
  {
    name: "tls-cert-file",
    type: "path",
    verbs: hubVerbs,
    description:
      "Certificate chain in PEM for the TLS port. Default: the hub creates its own CA and certificate at first start. The file is read again when it changes.",
  },
  {
    name: "tls-key-file",
    type: "path",
    verbs: hubVerbs,
    description: "Private key in PEM that belongs to tls-cert-file.",
  },
  {
    name: "hosts",
    type: "list",
    default: "",
    verbs: hubVerbs,
    check: checkHosts,
    description:
      "Additional host names and addresses of the hub. Requests for any other host are refused. The hub's own certificate covers them all.",
  },
  {
    name: "public-url",
    type: "string",
    verbs: hubVerbs,
    check: checkPublicUrl,
    description:
      "URL at which clusters and people reach the hub, such as https://hub.example.com:7443. Join URLs and manifests contain it; its host is added to hosts. Default: the first of hosts, or the address, that is not loopback.",
  },
  {
    name: "max-message-size",
    type: "bytes",
    default: "4MB",
    verbs: [...hubVerbs, "agent"],
    check: checkMessageSize,
    description: "Largest message accepted. Larger states are sent in several messages.",
  },
  {
    name: "max-connections",
    type: "integer",
    min: 1,
    max: 1_000_000,
    default: String(defaultListenerLimits.maxConnectionCount),
    verbs: hubVerbs,
    description: "Maximum open connections on each port. Further ones are closed at once.",
  },
  {
    name: "max-unauthenticated-connections",
    type: "integer",
    min: 1,
    max: 1_000_000,
    default: String(defaultUnauthenticatedLimits.maxCountPerAddress),
    verbs: hubVerbs,
    description:
      "Maximum unauthenticated connections of one address on each port. Further ones are closed at once. Connections of agents with a registered key and of callers with a token do not count. Raise it if more agents than this connect through one proxy address.",
  },
  {
    name: "authentication-timeout",
    type: "duration",
    default: "30s",
    verbs: hubVerbs,
    check: atLeastMs(1_000, "1s"),
    description:
      "How long a connection may stay open unauthenticated before it is closed. A page at its login form reconnects by itself.",
  },
  {
    // Far above a person with twenty tabs and a dozen scripts.
    name: "max-streams-per-caller",
    type: "integer",
    min: 1,
    max: 1_000_000,
    default: "256",
    verbs: hubVerbs,
    description: "Maximum open watches and event streams per token. Further ones are refused.",
  },
  {
    // A list of a large fleet takes seconds. Proxies usually have a limit of 60 s, which should not apply first.
    name: "request-timeout",
    type: "duration",
    default: "30s",
    verbs: [...hubVerbs, "agent"],
    check: atLeastMs(100, "100ms"),
    description: "How long one call may take; for an agent, one request to its API server. Does not apply to streams.",
  },
  {
    // Kubernetes sends SIGKILL 30 s after SIGTERM; 5 s of them are left for closing the store.
    name: "drain-timeout",
    type: "duration",
    default: "25s",
    verbs: hubVerbs,
    description: "How long calls in progress may continue after the hub was asked to stop.",
  },
  {
    name: "change-retention",
    type: "duration",
    default: "24h",
    verbs: hubVerbs,
    check: atLeastMs(60_000, "1m"),
    description:
      "How long changes are kept for watchers that reconnect. A watcher that was away longer must list again.",
  },
  {
    name: "encrypted-resources",
    type: "list",
    default: "secrets",
    verbs: [...hubVerbs, "keys rotate"],
    check: checkResources,
    description:
      "Resources whose bodies are encrypted in the store, each as GROUP/RESOURCE, or RESOURCE alone for the core group.",
  },
  {
    name: "allow-loopback-imports",
    type: "boolean",
    default: "false",
    verbs: [...hubVerbs, "agent"],
    description:
      "Accept kubeconfigs from cluster import whose API server is on this machine. Leave it off unless every user who may import clusters may also connect to all services on the hub's loopback address.",
  },
  {
    name: "agent-image",
    type: "string",
    verbs: [...hubVerbs, "agent manifest"],
    check: checkImage,
    description:
      "Container image of installed agents, by tag or digest. Default: flotilla.dev/flotilla with the version of this program as its tag.",
  },
  {
    name: "agent-image-pull-secrets",
    type: "list",
    default: "",
    verbs: [...hubVerbs, "agent manifest"],
    check: checkSecretNames,
    description:
      "Secrets in the namespace flotilla of the agent's cluster with which the kubelet pulls agent-image from a private registry. They must exist there.",
  },
  {
    name: "log-level",
    type: "choice",
    choices: ["auto", "debug", "info", "warn", "error"],
    default: "auto",
    verbs: [...hubVerbs, "agent"],
    description: "Minimum level of log lines. auto is warn for flotilla up on a terminal and info elsewhere.",
  },
  {
    name: "log-format",
    type: "choice",
    choices: ["auto", "json", "pretty"],
    default: "auto",
    verbs: [...hubVerbs, "agent"],
    description: "Format of log lines on standard error. auto is pretty on a terminal and json elsewhere.",
  },
] as const satisfies readonly OptionSpec[];
