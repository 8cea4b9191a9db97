// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import type { WatchJoinResponseSchema } from "../../gen/flotilla/fleet/v1/join_pb.ts";
import { connectionSentence } from "../../health/health-state.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import type { JoinCodes } from "./join-codes.ts";
import type { JoinObservations } from "./join-observations.ts";
import { isJoinOver, type JoinFacts, type JoinStep, toJoinSteps } from "./join-steps.ts";

type Message = MessageInitShape<typeof WatchJoinResponseSchema>;

/** The parts that a watch of a join reads. */
export interface JoinWatchParts extends Pick<FleetParts, "fleet" | "health" | "clock"> {
  readonly codes: JoinCodes;
  readonly trail: JoinObservations;
}

/** Interval of empty messages on a quiet stream, and of checks whether the code has expired. */
const heartbeatMs = 15_000;

/**
 * Yields the steps of a join, then all of them after each change, until the join is over or the signal aborts. Throws
 * NOT_FOUND for an unknown id.
 */
export async function* watchJoin(
  parts: JoinWatchParts,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Message, void, undefined> {
  const { codes, trail, health, fleet } = parts;
  const code = await codes.load(id);
  if (code === undefined)
    throw new FlotillaError("NOT_FOUND", "there is no join URL with that id, or it expired long ago");
  trail.open(code.cluster, code.createdAtMs); // a restarted hub tracks no joins
  const changes = health.subscribe();
  const unlisten = [trail.listen(() => changes.wake()), fleet.clusters.listen(() => changes.wake())];
  try {
    let shown = "";
    for (;;) {
      const facts = await loadFacts(parts, id);
      if (facts === undefined) return;
      const steps = toJoinSteps(facts);
      const isOver = isJoinOver(facts);
      const text = JSON.stringify([steps, isOver]);
      yield text === shown ? {} : { steps: steps.map((step) => toMessage(step, facts.nowMs)), isOver };
      shown = text;
      if (isOver) return;
      await changes.take(heartbeatMs, signal);
      if (signal.aborted) return;
    }
  } finally {
    for (const end of unlisten) end();
    changes.close();
  }
}

async function loadFacts(parts: JoinWatchParts, id: string): Promise<JoinFacts | undefined> {
  const { codes, trail, health, fleet, clock } = parts;
  const code = await codes.load(id);
  if (code === undefined) return undefined;
  const record = await fleet.clusters.load(code.cluster);
  const isRegistered = record !== undefined && record.createdAtMs >= code.createdAtMs;
  const cluster = parseClusterId(code.cluster);
  const view = isRegistered ? health.get(cluster) : undefined;
  const kinds = isRegistered ? health.kinds(cluster) : [];
  return {
    nowMs: clock.wallMs(),
    code,
    refusal: trail.refusalOf(code.cluster, code.createdAtMs),
    handshakes: trail.handshakesSince(code.createdAtMs),
    registration: !isRegistered ? "none" : record.isApproved ? "registered" : "pending",
    hasSession: isRegistered && (await fleet.claims.load(code.cluster, "")) !== undefined,
    connection: view && { state: view.connection.state, sentence: connectionSentence(view.connection) },
    forbiddenKinds: kinds.filter(({ fault }) => fault === "forbidden").map(({ resource }) => resource),
  };
}

function toMessage({ name, state, sentence, atMs, hints }: JoinStep, nowMs: number): JoinStepMessage {
  const at = atMs === undefined ? {} : { msAgo: BigInt(Math.max(0, Math.round(nowMs - atMs))) };
  return { name, state, sentence, hints: hints.map((hint) => ({ ...hint })), ...at };
}

type JoinStepMessage = NonNullable<Exclude<Message, { $typeName: string }>["steps"]>[number];
