// SPDX-License-Identifier: Apache-2.0
// The hops hub-agent and agent-API server, derived from the cluster's view and the agent's reports (PG22, L8).
import { create } from "@bufbuild/protobuf";
import { type Hop, HopSchema, type Hops, HopsSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { connectionSentence } from "../../../health/health-state.ts";
import { reasonOfFault, sentenceOf, toDetail } from "../../../health/reason.ts";
import type { ClusterRecord } from "../../clusters/cluster-record.ts";
import type { ClusterView } from "../../health/cluster-view.ts";
import type { AgentFacts } from "./agent-tracker.ts";
import { toInstant } from "./fleet-cluster-message.ts";

/** Inputs of the hops. */
export interface HopParts {
  readonly record: ClusterRecord;
  readonly view: ClusterView;
  readonly agent: AgentFacts | undefined;
}

/** Both hops of a cluster. A hop behind a lost one is unknown. */
export function toHops(parts: HopParts): Hops {
  return create(HopsSchema, { hubToAgent: toAgentHop(parts), agentToApiServer: toApiServerHop(parts) });
}

function toAgentHop({ view, agent }: HopParts): Hop {
  const { state, reason } = view.connection;
  const sentence = connectionSentence(view.connection);
  if (agent === undefined) return create(HopSchema, { state: "unknown", reason, sentence });
  const facts = [agent.agentId, agent.agentVersion, agent.address].filter((fact) => fact !== "");
  const since = agent.sinceMs === undefined ? {} : { sinceMs: toInstant(agent.sinceMs) };
  if (!agent.isLive) return create(HopSchema, { state: "lost", reason, sentence, facts, ...since });
  if (state === "stale") {
    const sinceMs = toInstant(degradedSinceMs(view));
    return create(HopSchema, { state: "degraded", reason, sentence, facts, sinceMs });
  }
  return create(HopSchema, { state: "ok", reason: "none", facts, ...since });
}

/** When the hop became degraded, not when its session began (HE25). */
function degradedSinceMs({ connection, pause }: ClusterView): number {
  return connection.reason === "paused" && pause !== undefined ? pause.sinceMs : connection.sinceMs;
}

function toApiServerHop({ record, view, agent }: HopParts): Hop {
  const { kubernetesVersion } = record.metadata;
  const facts = kubernetesVersion === "" ? [] : [kubernetesVersion];
  const apiServer = agent?.isLive === true ? agent.apiServer : undefined;
  if (apiServer === undefined) return create(HopSchema, { state: "unknown", facts });
  const sinceMs = toInstant(apiServer.sinceMs);
  if (apiServer.fault === "") return create(HopSchema, { state: "ok", reason: "none", facts, sinceMs });
  const reason = reasonOfFault(apiServer.fault);
  const state = view.connection.state === "disconnected" ? "lost" : "degraded";
  const sentence = sentenceOf(reason, toDetail(apiServer.error));
  return create(HopSchema, { state, reason, sentence, facts, sinceMs });
}
