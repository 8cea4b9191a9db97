// SPDX-License-Identifier: Apache-2.0
// Where our RBAC claims the server's own words: how a request becomes attributes, the text of a 403, the rules review.
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasCode } from "../../src/base/error.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createSubject, type Subject } from "../../src/model/subject.ts";
import { attributesOf, type RequestAttributes } from "../../src/rbac/attributes.ts";
import { createClusterAuthorizer } from "../../src/rbac/authorizer-chain.ts";
import type { Policy } from "../../src/rbac/policy.ts";
import { reviewRules } from "../../src/rbac/subject-rules.ts";
import { anyUser } from "../../src/rbac/testing/arbitrary-rbac.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { few } from "./rbac/few.ts";
import { isRefusal, messageOf } from "./rbac/forbidden.ts";
import { anyHttpRequest, anyListRequest, type HttpRequest } from "./rbac/http-request.ts";
import { impersonate } from "./rbac/impersonate.ts";
import { drawRounds } from "./rbac/random-round.ts";
import { comparableReview, reviewOwnRules } from "./rbac/rules-answer.ts";
import { policyNamespaces, ServerPolicy } from "./rbac/server-policy.ts";
import { runBounded } from "./run-bounded.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";
import { isWholeRun } from "./whole-run.ts";

const seed = 7;
const inFlight = 16;
const requestCount = isWholeRun() ? 20_000 : 2_000;
const roundCount = isWholeRun() ? 100 : 6;

/** Undefined for a path that no request can be made of; the server answers those with an error of its own. */
function attributesOfRequest({ method, path, query }: HttpRequest): RequestAttributes | undefined {
  try {
    return attributesOf(method, decodeURIComponent(path), new URLSearchParams(query));
  } catch (reason) {
    if (hasCode(reason, "INVALID_ARGUMENT")) return undefined;
    throw reason;
  }
}

describeOnKit("RBAC in the server's words", [], (kit) => {
  let cluster: KubernetesCluster;
  let client: KubeClient;
  let server: ServerPolicy;

  beforeAll(async () => {
    cluster = await startCluster({ kit, users: [{ name: "bob", groups: ["ops"] }] });
    client = cluster.connect("admin", inFlight);
    server = new ServerPolicy(client, systemClock);
    await server.open();
  });
  afterAll(() => cluster.stop());

  /** Sends the request as the user; what it answers otherwise than we say, in one line. */
  async function compareRequest(policy: Policy, user: Subject, request: HttpRequest): Promise<readonly string[]> {
    const { method, path, query } = request;
    const attributes = attributesOfRequest(request);
    const verdict = attributes && createClusterAuthorizer(policy)(user, attributes);
    // What we allow may change the server or never end; whether it is allowed is asked elsewhere, by review.
    const isHarmless = method === "GET" && attributes?.kind === "nonResource";
    if (verdict?.decision === "allow" && !isHarmless) return [];
    const answer = await client.send(method, query === "" ? path : `${path}?${query}`, { headers: impersonate(user) });
    const message = messageOf(answer);
    const isSame =
      attributes === undefined || verdict === undefined
        ? answer.status === 500
        : verdict.decision === "allow"
          ? answer.status !== 403
          : answer.status === 403 && isRefusal(message, user, attributes, verdict.reason);
    return isSame
      ? []
      : [
          JSON.stringify({
            request,
            user,
            attributes,
            reason: verdict?.reason,
            status: answer.status,
            body: answer.body,
          }),
        ];
  }

  test("[RB33, RB34, RB35, RB36, RB37, RB38, RB39, RB40] a refused request is refused with the verb, resource, namespace and name that we read from it", async () => {
    const nobody = createSubject({ user: "nobody" });
    const policy = await server.replace({ roles: [], clusterRoles: [], roleBindings: [], clusterRoleBindings: [] });
    const requests = fc.sample(fc.oneof(anyHttpRequest, anyListRequest), { seed, numRuns: requestCount });
    const found = await runBounded(requests, inFlight, (request) => compareRequest(policy, nobody, request));
    expect(few(found.flat())).toEqual([]);
  });

  test("[RB19, RB23] a 403 under a random policy has our text, with the roles that were not found", async () => {
    let reasonCount = 0;
    for (const [at, { lists }] of drawRounds(seed, roundCount, 1).entries()) {
      const policy = await server.replace(lists);
      const anyCall = fc.tuple(anyUser.map(createSubject), anyHttpRequest);
      const drawn = fc.sample(anyCall, { seed: seed + at, numRuns: 60 });
      const found = await runBounded(drawn, inFlight, ([user, request]) => compareRequest(policy, user, request));
      expect(few(found.flat())).toEqual([]);
      for (const [user, request] of drawn) {
        const attributes = attributesOfRequest(request);
        if (attributes === undefined) continue;
        if (createClusterAuthorizer(policy)(user, attributes).errors.length > 0) reasonCount += 1;
      }
    }
    expect(reasonCount, "roles that are not found must occur").toBeGreaterThan(roundCount);
  });

  test("[RB13] the server adds the groups that we add", async () => {
    const whoAmI = async (as: KubeClient, headers = {}): Promise<unknown> =>
      as.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {}, headers });
    const seenAs = ({ user, groups }: Subject) => ({ status: { userInfo: { username: user, groups } } });
    for (const user of ["alice", "system:serviceaccount:n:robot", "system:kube-scheduler"]) {
      expect(await whoAmI(client, { "impersonate-user": user })).toMatchObject(seenAs(createSubject({ user })));
    }
    const given = createSubject({ user: "alice", groups: ["dev", "system:serviceaccounts"] });
    expect(await whoAmI(client, impersonate(given))).toMatchObject(seenAs(given));
    expect(await whoAmI(cluster.connect("bob"))).toMatchObject(seenAs(createSubject({ user: "bob", groups: ["ops"] })));
    const accounts = "/api/v1/namespaces/n/serviceaccounts";
    await client.ask("POST", accounts, { body: { metadata: { name: "robot" } } });
    const requested = await client.ask("POST", `${accounts}/robot/token`, { body: { spec: {} } });
    const { token } = (requested as { status: { token: string } }).status;
    const robot = createSubject({ user: "system:serviceaccount:n:robot" });
    expect(await whoAmI(cluster.connectWith(token))).toMatchObject(seenAs(robot));
  });

  test("[RB47, RB48] a rules review lists the rules and errors that the server lists", async () => {
    let ruleCount = 0;
    for (const [at, { lists }] of drawRounds(seed, roundCount, 1).entries()) {
      const policy = await server.replace(lists);
      for (const user of fc.sample(anyUser.map(createSubject), { seed: seed + at, numRuns: 8 })) {
        for (const namespace of policyNamespaces) {
          const ours = reviewRules(policy, user, namespace);
          const theirs = await reviewOwnRules(client, user, namespace);
          expect(comparableReview(theirs), JSON.stringify({ user, namespace })).toEqual(comparableReview(ours));
          ruleCount += ours.resourceRules.length + ours.nonResourceRules.length;
        }
      }
    }
    expect(ruleCount).toBeGreaterThan(roundCount * 16);
  });
});
