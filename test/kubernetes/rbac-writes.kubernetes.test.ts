// SPDX-License-Identifier: Apache-2.0
// Giving away rights: what the server lets users write into roles and bindings, and in which words it refuses the rest.
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createClusterAuthorizer } from "../../src/rbac/authorizer-chain.ts";
import { checkBindingWrite, checkRoleWrite, type GrantCheck } from "../../src/rbac/grant-check.ts";
import type { Policy } from "../../src/rbac/policy.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeAnswer, KubeClient } from "./kube-client.ts";
import { few } from "./rbac/few.ts";
import { messageOf } from "./rbac/forbidden.ts";
import { impersonate } from "./rbac/impersonate.ts";
import { drawRounds } from "./rbac/random-round.ts";
import { anyWrite, type RandomWrite, withWriters } from "./rbac/random-write.ts";
import { collectionPath, toManifest } from "./rbac/rbac-api.ts";
import { tellSameErrors } from "./rbac/same-errors.ts";
import { ServerPolicy } from "./rbac/server-policy.ts";
import { runBounded } from "./run-bounded.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";
import { isWholeRun } from "./whole-run.ts";

const seed = 11;
const inFlight = 16;
const writesPerRound = 60;
const roundCount = isWholeRun() ? 100 : 5;

function judge(policy: Policy, { user, object, isAggregated }: RandomWrite): GrantCheck {
  const context = { authorizer: createClusterAuthorizer(policy), policy, user };
  if ("roleRef" in object) return checkBindingWrite(context, object);
  return checkRoleWrite(context, { role: object, requestName: "", isAggregated });
}

/** Asks the server to create the object without keeping it. */
function writeOnServer(client: KubeClient, { user, object, isAggregated }: RandomWrite): Promise<KubeAnswer> {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { "flotilla.dev/gathered": "yes" } }] };
  const body = { ...(toManifest(object) as object), ...(isAggregated ? { aggregationRule } : {}) };
  return client.send("POST", `${collectionPath(object)}?dryRun=All`, { body, headers: impersonate(user) });
}

/** A message in two parts: up to the roles that were not found, which a server tells in no order, and those. */
function splitErrors(message: string): readonly [string, string] {
  const [text = "", errors = ""] = message.split("; resolution errors: ");
  return [text, errors.replace(/^\[(.*)\]$/s, "$1")];
}

function isSame(check: GrantCheck, answer: KubeAnswer): boolean {
  if (check.outcome === "allowed") return answer.status === 201;
  if (check.outcome === "roleNotFound") return answer.status === 404 && messageOf(answer) === check.message;
  const [ours, ourErrors] = splitErrors(check.message);
  const [theirs, theirErrors] = splitErrors(messageOf(answer).replace(/^\S+ "fresh" is forbidden: /, ""));
  return answer.status === 403 && ours === theirs && tellSameErrors(ourErrors, theirErrors);
}

describeOnKit("writes that give rights away", [], (kit) => {
  let cluster: KubernetesCluster;
  let client: KubeClient;
  let server: ServerPolicy;

  beforeAll(async () => {
    cluster = await startCluster({ kit });
    client = cluster.connect("admin", inFlight);
    server = new ServerPolicy(client, systemClock);
    await server.open();
  });
  afterAll(() => cluster.stop());

  test("[RB49, RB50, RB51, RB52, RB53, RB64] the server allows and refuses the same writes, in the same words", {
    timeout: 300_000,
  }, async () => {
    const outcomes = new Map<GrantCheck["outcome"], number>();
    for (const [round, { lists }] of drawRounds(seed, roundCount, 1).entries()) {
      const policy = await server.replace(withWriters(lists));
      const writes = fc.sample(anyWrite, { seed: seed + round, numRuns: writesPerRound });
      const found = await runBounded(writes, inFlight, async (write) => {
        const check = judge(policy, write);
        outcomes.set(check.outcome, (outcomes.get(check.outcome) ?? 0) + 1);
        const answer = await writeOnServer(client, write);
        return isSame(check, answer)
          ? []
          : [JSON.stringify({ write, check, status: answer.status, body: answer.body })];
      });
      expect(few(found.flat())).toEqual([]);
    }
    for (const outcome of ["allowed", "notHeld", "roleNotFound"] as const) {
      expect(outcomes.get(outcome) ?? 0, `${outcome} must occur often`).toBeGreaterThan(roundCount);
    }
  });
});
