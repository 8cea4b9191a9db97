// SPDX-License-Identifier: Apache-2.0
// Our RBAC evaluator beside the one that it repeats: random policies on a real kube-apiserver, the same questions to
// both.
import { afterAll, beforeAll, expect, test } from "vitest";
import { wantedVersion } from "../../scripts/kubernetes-kit.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { seedsToRun } from "../support/sim/simulate.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { askRound, findDifferences, findMisjudged, reviewsInFlight } from "./rbac/ask-round.ts";
import { few } from "./rbac/few.ts";
import { drawRounds, places } from "./rbac/random-round.ts";
import { ServerPolicy } from "./rbac/server-policy.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";
import { isWholeRun } from "./whole-run.ts";

/** All seeds with 10 rounds each make the 100,000 pairs that Q-8 asks for; the sample of `npm test` takes seconds. */
const wholeSeedCount = 22;
const seeds = seedsToRun(isWholeRun() ? wholeSeedCount : 1);
const roundsPerSeed = isWholeRun() ? 10 : 3;

describeOnKit("RBAC as the server decides it", [], (kit) => {
  let cluster: KubernetesCluster;
  let client: KubeClient;
  let server: ServerPolicy;
  const total = { asked: 0, allowed: 0, pairs: 0, seeds: 0 };

  beforeAll(async () => {
    cluster = await startCluster({ kit });
    client = cluster.connect("admin", reviewsInFlight);
    server = new ServerPolicy(client, systemClock);
    await server.open();
  });
  afterAll(() => cluster.stop());

  test.each(seeds)(
    "[Q-35, RB2, RB7, RB8, RB9, RB15, RB16, RB17, RB19, RB22, RB26, RB27, RB28, RB29, RB30, RB31, RB55, RB56, RB57, RB58] seed %i: every request gets the server's verdict and reason, every object its visibility",
    { timeout: 300_000 },
    async (seed) => {
      for (const round of drawRounds(seed, roundsPerSeed)) {
        const policy = await server.replace(round.lists);
        const asked = await askRound(client, round);
        expect(few(findDifferences(policy, asked))).toEqual([]);
        expect(few(findMisjudged(policy, round, asked))).toEqual([]);
        total.asked += asked.length;
        total.allowed += asked.filter(({ answer }) => answer.allowed).length;
        total.pairs += round.viewed.length * places.length;
      }
      total.seeds += 1;
    },
  );

  test(`[Q-45] the server that was compared with is ${wantedVersion(process.env)}`, async () => {
    expect(await client.ask("GET", "/version")).toMatchObject({ gitVersion: wantedVersion(process.env) });
  });

  test("both answers occur often, or the comparison would prove little", () => {
    expect(total.allowed / total.asked).toBeGreaterThan(0.03);
    expect(total.allowed / total.asked).toBeLessThan(0.95);
  });

  test("[Q-8] over 100,000 pairs of a subject and an object were compared", ({ skip }) => {
    skip(total.seeds < wholeSeedCount, "only a sample was compared; `npm run test:kubernetes` compares all");
    expect(total.pairs).toBeGreaterThan(100_000);
    expect(total.asked).toBeGreaterThan(100_000);
  });
});
