// SPDX-License-Identifier: Apache-2.0
// `node test/kubernetes/rbac/record-answers.ts`: asks a real kube-apiserver and writes recorded/rbac-answers.jsonl
// anew. Needs the kit (`npm run kubernetes`). Run it when the version of the kit or the generator of policies changes.
import { mkdirSync, writeFileSync } from "node:fs";
import { systemClock } from "../../../src/base/time/system-clock.ts";
import { createPolicy } from "../../../src/rbac/policy.ts";
import { startCluster } from "../start-cluster.ts";
import { askRound, findDifferences, reviewsInFlight } from "./ask-round.ts";
import { drawRounds } from "./random-round.ts";
import { type RecordedRound, toRoundLine } from "./recorded-answers.ts";
import { ServerPolicy } from "./server-policy.ts";

/** 40 policies with 25 questions each are about 100 KB of text. */
const roundCount = 10;
const policyCount = 4;
const seed = 2026;
const folder = new URL("../recorded/", import.meta.url);

await using cluster = await startCluster();
const client = cluster.connect("admin", reviewsInFlight);
const server = new ServerPolicy(client, systemClock);
await server.open();
const lines: string[] = [];
for (const round of drawRounds(seed, roundCount, policyCount)) {
  await server.replace(round.lists);
  const asked = await askRound(client, { ...round, viewed: [] });
  // What a server is born with is not recorded, so it must not matter to any of these answers.
  const [difference] = findDifferences(createPolicy(round.lists), asked);
  if (difference !== undefined) throw new Error(`our answer is another one: ${difference}`);
  const recorded: RecordedRound = {
    kubernetes: cluster.version,
    lists: round.lists,
    asked: asked.map(({ user, request, answer }) => ({ user, request, allowed: answer.allowed })),
  };
  lines.push(toRoundLine(recorded));
}
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("rbac-answers.jsonl", folder), lines.join(""));
