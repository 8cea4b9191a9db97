// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { establishIdentity } from "./establish-identity.ts";
import type { JoinPort } from "./join-hub.ts";
import { IdentityRig, parseModelKey } from "./testing/identity-rig.ts";
import { hex } from "./testing/model-join-hub.ts";

const never = new AbortController().signal;
const minuteMs = 60_000;

function start(rig: IdentityRig, changes: Parameters<IdentityRig["options"]>[0] = {}) {
  let settled: "pending" | "resolved" | "rejected" = "pending";
  const promise = establishIdentity(rig.options(changes), never);
  promise.then(
    () => (settled = "resolved"),
    () => (settled = "rejected"),
  );
  return { promise, state: () => settled };
}

test("[SE5] a key is made, stored before the hub hears of it, and registered by the join token", async () => {
  const rig = new IdentityRig();
  let storedAtJoin: string | undefined;
  const join: JoinPort = (request) => {
    const record = rig.kept.record;
    storedAtJoin = record && hex(parseModelKey(record.privateKeyPem).publicKey);
    expect(hex(request.publicKey)).toBe(storedAtJoin);
    return Promise.resolve(rig.hub.join(request));
  };
  const identity = await establishIdentity(rig.options({ join }), never);
  expect(identity).toMatchObject({ clusterId: "east", hubName: "hub-of-tests", isPending: false });
  expect(rig.hub.keys).toEqual([{ publicKey: hex(identity.key.publicKey), state: "active" }]);
  expect(storedAtJoin).toBe(hex(identity.key.publicKey));
  expect(rig.kept.record).toMatchObject({ clusterId: "east", hubName: "hub-of-tests" });
  expect(rig.statuses).toEqual([{ kind: "established", isPending: false }]);
});

test("[SE5] an agent that joined starts again without token and hub, with the same key", async () => {
  const rig = new IdentityRig();
  const first = await establishIdentity(rig.options(), never);
  rig.token = undefined;
  const join: JoinPort = () => Promise.reject(new Error("the hub must not be asked"));
  const second = await establishIdentity(rig.options({ join }), never);
  expect(second.hubName).toBe("hub-of-tests");
  expect(hex(second.key.publicKey)).toBe(hex(first.key.publicKey));
  expect(rig.kept.writeCount).toBe(2);
});

test("[L15] [N-26] a stored key of another cluster is refused with what to do, and is not used or touched", async () => {
  const rig = new IdentityRig();
  await establishIdentity(rig.options(), never);
  const other = rig.options({ clusterId: parseClusterId("west") });
  await expect(establishIdentity(other, never)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message:
      'the key stored here is of cluster "east", not of "west"; give the cluster id that it joined with, or delete the stored key and join again',
  });
  expect(rig.kept).toMatchObject({ writeCount: 2, record: { clusterId: "east" } });
  expect(rig.statuses).toEqual([{ kind: "established", isPending: false }]);
  expect(rig.hub.joinCount).toBe(1);
});

test("[L12] a hub that does not answer is asked for ever, and the reason is told", async () => {
  const rig = new IdentityRig();
  let isUp = false;
  const join: JoinPort = (request) =>
    isUp
      ? Promise.resolve(rig.hub.join(request))
      : Promise.reject(new FlotillaError("UNAVAILABLE", "hub.example.com does not answer"));
  const { promise, state } = start(rig, { join });
  await rig.clock.advance(60 * minuteMs);
  expect(state()).toBe("pending");
  expect(rig.statuses.at(-1)).toEqual({
    kind: "waiting",
    code: "UNAVAILABLE",
    reason: "hub.example.com does not answer",
  });
  isUp = true;
  await rig.clock.advance(30_000);
  await promise;
  expect(rig.kept.writeCount).toBe(2);
});

test("a join token that comes later is waited for; the agent says where it looks", async () => {
  const rig = new IdentityRig();
  rig.token = undefined;
  const { promise } = start(rig);
  await settle();
  expect(rig.statuses).toEqual([
    {
      kind: "waiting",
      code: "UNAVAILABLE",
      reason: "no join token yet in the test; make one with `flotilla cluster join east --token-only`",
    },
  ]);
  rig.token = "token-one";
  await rig.clock.advance(30_000);
  await expect(promise).resolves.toMatchObject({ hubName: "hub-of-tests" });
});

test.each([
  ["UNAUTHENTICATED", "the join token is unknown", "make a join token with `flotilla cluster join east --token-only`"],
  ["ALREADY_EXISTS", "the id is taken", "use the token of `flotilla cluster rotate east`"],
  ["INVALID_ARGUMENT", "the region is too long", "see that cluster id and metadata are right"],
  ["PERMISSION_DENIED", "the token is for west-*", "that the join token is meant for this cluster"],
  ["INTERNAL", "unexpected internal error", "see the hub's log"],
] as const)("[SE12] %s is told with what to do, and asked again after five minutes", async (code, said, advice) => {
  const rig = new IdentityRig();
  let answer: "refuse" | "take" = "refuse";
  let askedCount = 0;
  const join: JoinPort = (request) => {
    askedCount += 1;
    return answer === "take" ? Promise.resolve(rig.hub.join(request)) : Promise.reject(new FlotillaError(code, said));
  };
  const { promise } = start(rig, { join });
  await rig.clock.advance(5 * minuteMs - 1);
  expect(askedCount).toBe(1);
  expect(rig.statuses).toHaveLength(1);
  expect(rig.statuses[0]).toMatchObject({ kind: "refused", code });
  const { reason, retryInMs } = rig.statuses[0] as { reason: string; retryInMs: number };
  expect(reason).toContain(`the hub refused to register east: ${said}; `);
  expect(reason).toContain(advice);
  expect(retryInMs).toBeGreaterThanOrEqual(5 * minuteMs);
  expect(retryInMs).toBeLessThanOrEqual(6 * minuteMs);
  answer = "take";
  await rig.clock.advance(minuteMs + 1);
  await promise;
  expect(askedCount).toBe(2);
});

test("a token file that holds something else is told as a refusal, and the right one is taken later", async () => {
  const rig = new IdentityRig();
  let isRight = false;
  const wrong = new FlotillaError("INVALID_ARGUMENT", "the file /t does not hold a join token and nothing else");
  const load = () => (isRight ? Promise.resolve("token-one") : Promise.reject(wrong));
  const { promise } = start(rig, { token: { where: "the file /t", load } });
  await settle();
  expect(rig.statuses).toMatchObject([{ kind: "refused", reason: wrong.message }]);
  isRight = true;
  await rig.clock.advance(6 * minuteMs);
  await promise;
  expect(rig.hub.joinCount).toBe(1);
});

test("waiting for approval is an identity like any other, and is said", async () => {
  const rig = new IdentityRig();
  rig.hub.isApprovalNeeded = true;
  await expect(establishIdentity(rig.options(), never)).resolves.toMatchObject({ isPending: true });
  expect(rig.statuses).toEqual([{ kind: "established", isPending: true }]);
});

test.each([
  [{ clusterId: "west", hubName: "h", isPending: false }, 'registered "west" instead of "east"'],
  [{ clusterId: "east", hubName: "", isPending: false }, "did not send its name"],
])("[L15] an answer that is not about this cluster or names no hub is no registration", async (answer, said) => {
  const rig = new IdentityRig();
  start(rig, { join: () => Promise.resolve(answer) });
  await settle();
  expect(rig.statuses).toMatchObject([{ kind: "refused", code: "MALFORMED" }]);
  expect((rig.statuses[0] as { reason: string }).reason).toContain(said);
  expect(rig.kept.record?.hubName).toBe("");
});

test("[SE8] a new token with rotation wanted registers a second key; the first stays stored until the hub has taken it", async () => {
  const rig = new IdentityRig();
  const first = await establishIdentity(rig.options(), never);
  rig.token = rig.hub.issue("token-two", true);
  let storedAtJoin: string | undefined;
  const join: JoinPort = (request) => {
    storedAtJoin = rig.kept.record && hex(parseModelKey(rig.kept.record.privateKeyPem).publicKey);
    return Promise.resolve(rig.hub.join(request));
  };
  const second = await establishIdentity(rig.options({ rotate: true, join }), never);
  expect(storedAtJoin).toBe(hex(first.key.publicKey));
  expect(hex(second.key.publicKey)).not.toBe(hex(first.key.publicKey));
  expect(rig.hub.keys).toHaveLength(2);
  expect(rig.hub.canProve(second.key.publicKey)).toBe(true);
  expect(rig.hub.canProve(first.key.publicKey)).toBe(false);
  expect(rig.kept.record).toMatchObject({ nextPrivateKeyPem: "" });
});

test("[SE8] rotation happens once for a token, and not at all without a new one or without being wanted", async () => {
  const rig = new IdentityRig();
  await establishIdentity(rig.options({ rotate: true }), never);
  await establishIdentity(rig.options({ rotate: true }), never);
  expect(rig.hub.joinCount).toBe(1);
  rig.token = rig.hub.issue("token-two", true);
  await establishIdentity(rig.options({ rotate: false }), never);
  expect(rig.hub.joinCount).toBe(1);
  await establishIdentity(rig.options({ rotate: true }), never);
  await establishIdentity(rig.options({ rotate: true }), never);
  expect(rig.hub.joinCount).toBe(2);
  rig.token = undefined;
  await establishIdentity(rig.options({ rotate: true }), never);
  expect(rig.hub.joinCount).toBe(2);
});

test("[SE8] an agent whose stored key was deleted is refused by an old token, and comes back by one of a rotation", async () => {
  const rig = new IdentityRig();
  await establishIdentity(rig.options(), never);
  rig.kept.record = undefined;
  const { promise } = start(rig);
  await settle();
  expect(rig.statuses.at(-1)).toMatchObject({ kind: "refused", code: "ALREADY_EXISTS" });
  rig.token = rig.hub.issue("token-two", true);
  await rig.clock.advance(6 * minuteMs);
  const { key } = await promise;
  expect(rig.hub.canProve(key.publicKey)).toBe(true);
  expect(rig.hub.keys).toEqual([{ publicKey: hex(key.publicKey), state: "active" }]);
});

test("[SE8] a rotation that the hub refuses leaves the agent with the key it has", async () => {
  const rig = new IdentityRig();
  const first = await establishIdentity(rig.options(), never);
  rig.token = "token-of-nobody";
  const second = await establishIdentity(rig.options({ rotate: true }), never);
  expect(hex(second.key.publicKey)).toBe(hex(first.key.publicKey));
  expect(rig.hub.keys).toHaveLength(1);
  expect(rig.logged.text()).toContain("the agent's key was not rotated");
});

test("an abort ends the waiting with its reason, quietly, and leaves no timer", async () => {
  for (const code of ["UNAVAILABLE", "UNAUTHENTICATED"] as const) {
    const rig = new IdentityRig();
    const stop = new AbortController();
    const join: JoinPort = () => Promise.reject(new FlotillaError(code, "no"));
    const promise = establishIdentity(rig.options({ join }), stop.signal);
    await settle();
    const statusCount = rig.statuses.length;
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(promise).rejects.toBe(reason);
    expect(rig.clock.timerCount).toBe(0);
    expect(rig.statuses).toHaveLength(statusCount);
  }
});

test("[L18] neither token nor key is in log, status or error, even if the hub repeats the token", async () => {
  for (const code of ["UNAVAILABLE", "UNAUTHENTICATED"] as const) {
    const rig = new IdentityRig();
    const secret = (rig.token = "flt_0123456789abcdefghjk_a-secret-text-of-forty-three-characters-xyz");
    const join: JoinPort = ({ joinToken }) =>
      Promise.reject(
        new FlotillaError(code, `no such token ${joinToken}`, { cause: new Error(`asked with ${joinToken}`) }),
      );
    start(rig, { join });
    await rig.clock.advance(60 * minuteMs);
    const told = `${rig.logged.text()} ${JSON.stringify(rig.statuses)}`;
    expect(told).toContain("no such token [hidden]");
    expect(told).not.toContain(secret);
    expect(told).not.toContain("PRIVATE KEY");
    expect(told).not.toContain(rig.kept.record?.privateKeyPem.split("\n")[1]);
  }
});
