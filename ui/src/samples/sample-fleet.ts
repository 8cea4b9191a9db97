// SPDX-License-Identifier: Apache-2.0
// A realistic sample fleet for the gallery and for the page without a hub. The same count gives the same fleet.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { FleetClusterSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { type FleetUpdate, FleetUpdateSchema, StripCode } from "../../../src/gen/flotilla/page/v1/page_pb.ts";

type ClusterInit = MessageInitShape<typeof FleetClusterSchema>;

const regions = ["eu-1", "eu-2", "us-east", "us-west", "ap-south"];
const environments = ["prod", "staging", "dev"];
const teams = ["payments", "search", "platform", "data"];

/** A deterministic random generator, 0 to 1 (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface SampleWish {
  readonly count: number;
  /** All clusters of this region are lost, as one incident. */
  readonly lostRegion?: string | undefined;
  /** The hub's monotonic clock now. */
  readonly nowMs: number;
}

/** Creates a snapshot of a fleet with `count` clusters. */
export function createSampleFleet({ count, lostRegion, nowMs }: SampleWish): FleetUpdate {
  const chance = createChance(count);
  const clusters = Array.from({ length: count }, (_, index) => sampleCluster(index, { chance, lostRegion, nowMs }));
  const incident = {
    number: 1,
    beganMs: BigInt(nowMs - 131_000),
    reasons: ["tcp"],
    regions: [lostRegion ?? ""],
  };
  const isOpen = clusters.some(({ region }) => region === lostRegion);
  const incidents = { incidents: isOpen ? [incident] : [] };
  return create(FleetUpdateSchema, { clusters, incidents });
}

function sampleCluster(
  index: number,
  { chance, lostRegion, nowMs }: { chance: () => number; lostRegion: string | undefined; nowMs: number },
): ClusterInit {
  const region = regions[Math.floor(chance() ** 1.4 * regions.length)] ?? "eu-1";
  const environment = environments[Math.floor(chance() ** 1.5 * environments.length)] ?? "prod";
  const isLost = region === lostRegion;
  const stateChance = chance();
  const state = isLost
    ? "disconnected"
    : stateChance < 0.006
      ? "stale"
      : stateChance < 0.012
        ? "catchingUp"
        : stateChance < 0.016
          ? "rejected"
          : "live";
  const rowCount = BigInt(Math.round(400 + chance() ** 3 * 48_000));
  const unhealthy = chance() < 0.12 ? [{ kind: "Pod", resource: "pods", count: 1 + Math.floor(chance() * 7) }] : [];
  return {
    id: `${environment}-${region}-${String(index).padStart(3, "0")}`,
    region,
    environment,
    kubernetesVersion: `v1.${36 - Math.floor(chance() * 3)}.${Math.floor(chance() * 5)}`,
    agentVersion: chance() < 0.9 ? "0.1.0" : "0.0.9",
    labels: { team: teams[Math.floor(chance() * teams.length)] ?? "data" },
    source: "agent",
    connection: {
      state,
      sinceMs: BigInt(nowMs - (isLost ? 131_000 : 3_600_000)),
      reason: isLost ? "tcp" : state === "stale" ? "backlog" : state === "rejected" ? "rejected" : "none",
      sentence: sentenceOf(state),
      attemptCount: isLost ? 9 : 0,
      incident: isLost ? 1 : 0,
      seenMs: BigInt(nowMs - (isLost ? 140_000 : state === "live" ? 1_000 : 250_000)),
      ...(isLost ? { nextAttemptMs: BigInt(nowMs + 12_000) } : {}),
    },
    isPaused: chance() < 0.004,
    followedKindCount: 38,
    caughtUpKindCount: state === "catchingUp" ? 31 : 38,
    strip: sampleStrip(chance, isLost),
    objects: { rowCount, unhealthy, failingKinds: chance() < 0.02 ? ["HelmRelease"] : [] },
  };
}

function sentenceOf(state: string): string {
  if (state === "disconnected") return "The API server refuses connections.";
  if (state === "stale") return "Changes have waited for 4 minutes to become durable.";
  if (state === "rejected") return "A second agent was refused: another one speaks for this cluster.";
  return state === "catchingUp" ? "The agent is back and its picture is being compared with the hub's." : "";
}

function sampleStrip(chance: () => number, isLost: boolean): Uint8Array {
  const cells = new Uint8Array(48).fill(StripCode.LIVE);
  if (chance() < 0.25) cells[Math.floor(chance() * 47)] = StripCode.STALE;
  if (chance() < 0.12) cells[Math.floor(chance() * 47)] = StripCode.DISCONNECTED;
  if (chance() < 0.05) cells.fill(StripCode.NEVER_SEEN, 0, 20);
  if (isLost) cells[47] = StripCode.DISCONNECTED;
  return cells;
}
