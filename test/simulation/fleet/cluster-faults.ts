// SPDX-License-Identifier: Apache-2.0
import type { SeededRandom } from "../../../src/base/random.ts";
import type { SimApiServer } from "../../support/sim/sim-api-server.ts";
import type { SimFault } from "../../support/sim/sim-api-server-faults.ts";
import type { SimRequest } from "../../support/sim/sim-api-server-request.ts";
import type { Cast } from "./cast.ts";
import { worldKinds } from "./cluster.ts";
import { type Fault, nothing, pick, type Trouble } from "./fault.ts";

/** What happens between an agent and its API server. */
export function clusterFaults({ clusters }: Cast): readonly Trouble[] {
  return [
    {
      name: "answers",
      fault: (random) => strikeAnswers(pick(random, clusters).server, random),
      gapMs: [500, 5_000],
      lastsMs: [500, 8_000],
    },
    {
      name: "watches",
      fault: (random) => strikeWatches(pick(random, clusters).server, random),
      gapMs: [500, 5_000],
      lastsMs: [0, 1_000],
    },
    {
      name: "servers",
      fault: (random) => strikeServer(pick(random, clusters).server, random),
      gapMs: [1_000, 12_000],
      lastsMs: [500, 12_000],
    },
    { name: "definitions", fault: toggleCrd(clusters), gapMs: [1_000, 10_000], lastsMs: [500, 10_000] },
    {
      name: "rights",
      fault: (random) => takeRight(pick(random, clusters).server, random),
      gapMs: [1_000, 10_000],
      lastsMs: [500, 8_000],
    },
  ];
}

const answers: readonly SimFault[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 503, retryAfterMs: 500 },
  { kind: "status", status: 429, retryAfterMs: 1_000 },
  { kind: "status", status: 410 },
  { kind: "status", status: 401 },
  { kind: "reset" },
  { kind: "hang" },
  { kind: "slowBody", delayMs: 1_500 },
  { kind: "cutBody" },
  { kind: "silentWatch" },
];

/** Requests of some kind, or all but the probes. */
function drawMatch(random: SeededRandom): (request: SimRequest) => boolean {
  const { resource } = pick(random, worldKinds);
  const isAll = random.int(3) === 0;
  return ({ verb, gvr }) => verb !== "other" && (isAll || gvr?.resource === resource.resource);
}

function strikeAnswers(server: SimApiServer, random: SeededRandom): () => void {
  return server.faults.add({ fault: pick(random, answers), matches: drawMatch(random) });
}

function strikeWatches(server: SimApiServer, random: SeededRandom): () => void {
  const { resource } = pick(random, worldKinds);
  const isAll = random.int(3) === 0;
  const how = pick(random, ["reset", "end", "silence", "expire", "compact"] as const);
  if (how === "compact" || random.int(3) === 0) server.compact();
  // Of two agents on one API server one may be behind and the other not.
  const isHalf = random.int(2) === 0;
  if (how !== "compact")
    server.breakWatches(
      how,
      (each) => (isAll || each.resource === resource.resource) && (!isHalf || random.int(2) === 0),
    );
  return nothing;
}

function strikeServer(server: SimApiServer, random: SeededRandom): () => void {
  server.setState(random.int(2) === 0 ? "down" : "unreachable");
  return () => server.setState("up");
}

function toggleCrd(clusters: Cast["clusters"]): Fault {
  return (random) => {
    const cluster = pick(random, clusters);
    cluster.toggleCrd();
    return nothing;
  };
}

/** The agent may not read a kind for a while (L14). */
function takeRight(server: SimApiServer, random: SeededRandom): () => void {
  const { resource } = pick(random, worldKinds);
  const verb = pick(random, ["list", "watch"] as const);
  server.isAllowed = (request) => request.gvr?.resource !== resource.resource || request.verb !== verb;
  return () => {
    server.isAllowed = () => true;
  };
}
