// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { atLeastMs, checkWebhookUrl, isAboveZero } from "./option-checks.ts";
import { hubVerbs } from "./verb-groups.ts";

/** How a hub takes the sessions of its agents, and how it judges them. */
export const fleetOptions = [
  {
    name: "heartbeat-interval",
    type: "duration",
    default: "5s",
    verbs: hubVerbs,
    check: atLeastMs(100, "100ms"),
    description: "Time between two heartbeats of an agent, which is told so. Two that are missed end its session.",
  },
  {
    name: "claim-grace-period",
    type: "duration",
    default: "60s",
    verbs: hubVerbs,
    description: "How long a cluster is held for the agent that lost its session before another may take it over.",
  },
  {
    name: "admission-rate",
    type: "integer",
    min: 1,
    max: 100_000,
    default: "50",
    verbs: hubVerbs,
    description: "Sessions accepted a second; the others are told when to come back.",
  },
  {
    name: "first-syncs",
    type: "integer",
    min: 1,
    max: 10_000,
    default: "8",
    verbs: hubVerbs,
    description:
      "Clusters that may send their first full state at once; the others wait in line and are told their place.",
  },
  {
    name: "ingest-budget",
    type: "bytes",
    default: "256MiB",
    verbs: hubVerbs,
    check: isAboveZero,
    description:
      "Bytes received from agents and not yet durable, of all sessions together. Agents wait while it is used up.",
  },
  {
    name: "max-cluster-rows",
    type: "integer",
    min: 1,
    max: 100_000_000,
    default: "1000000",
    verbs: hubVerbs,
    description:
      "Most rows of one cluster. An agent that sends more is refused with the reason; the hub keeps the rows that it has.",
  },
  {
    name: "max-cluster-kinds",
    type: "integer",
    min: 1,
    max: 4_096,
    default: "2000",
    verbs: hubVerbs,
    description: "Most kinds of one cluster. An agent that announces more is refused with the reason.",
  },
  {
    name: "max-cluster-size",
    type: "bytes",
    default: "2GiB",
    verbs: hubVerbs,
    check: isAboveZero,
    description:
      "Most memory that the rows of one cluster may take. An agent that sends more is refused with the reason; the hub keeps the rows that it has.",
  },
  {
    name: "stale-after",
    type: "duration",
    default: "30s",
    verbs: hubVerbs,
    check: isAboveZero,
    description: "A cluster whose oldest change has waited so long at its agent is stale.",
  },
  {
    // What the rows of 300 clusters take in a week fits on a small disk; a month is for whoever asks for it.
    name: "history-retention",
    type: "duration",
    default: "7d",
    verbs: hubVerbs,
    check: atLeastMs(60_000, "1m"),
    description: "How long the history of observed state is kept. What is current is kept whatever its age.",
  },
  {
    // A year covers the audits that most rules ask for; a thousand changes a day take 200 MB in it.
    name: "audit-retention",
    type: "duration",
    default: "365d",
    verbs: hubVerbs,
    check: atLeastMs(86_400_000, "1d"),
    description: "How long records of administrative changes are kept (flotilla audit).",
  },
  {
    name: "webhook-url",
    type: "string",
    verbs: hubVerbs,
    check: checkWebhookUrl,
    description:
      "Where to POST, signed, when clusters are lost and when they return: once for each incident and its end. Left out, nobody is told.",
  },
  {
    name: "webhook-secret",
    type: "secret",
    verbs: hubVerbs,
    description: "What the webhook's requests are signed with: HMAC-SHA-256 over timestamp and body.",
  },
] as const satisfies readonly OptionSpec[];
