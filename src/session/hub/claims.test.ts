// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  type ClaimingProcess,
  claimName,
  decideClaim,
  type LeaseAnswer,
  leaseMsOf,
  parseHolderText,
  renewalMsOf,
  type SessionRecord,
  toHolderText,
} from "./claims.ts";

const times = { heartbeatMs: 5_000, leaseMs: 15_000 };
const first: ClaimingProcess = { agentId: "first", incarnation: "one" };
const restarted: ClaimingProcess = { agentId: "first", incarnation: "two" };
const rival: ClaimingProcess = { agentId: "rival", incarnation: "one" };
const held: LeaseAnswer = { kind: "held" };
const taken: LeaseAnswer = { kind: "taken", holder: { ...first, hubId: "hub" }, expiresInMs: 1_234.5 };

function record(state: SessionRecord["state"], agent = first): SessionRecord {
  return { ...agent, state };
}

test("[SE9] a lease of a live session is ACTIVE_SESSION with one lease to wait", () => {
  const decision = decideClaim(rival, taken, record("live"), times);
  expect(decision).toMatchObject({ kind: "refused", rejection: { reason: "ACTIVE_SESSION", retryAfterMs: 15_000 } });
});

test("[SE9] a lease of a lost session is GRACE_PERIOD with what remains", () => {
  const decision = decideClaim(rival, taken, record("lost"), times);
  expect(decision).toMatchObject({ kind: "refused", rejection: { reason: "GRACE_PERIOD", retryAfterMs: 1_235 } });
});

test("[SE9] a lease whose holder has no record yet counts as live: it is being accepted", () => {
  const older = { agentId: "older", incarnation: "one" };
  for (const newest of [undefined, record("lost", older), record("left", older), record("lost", restarted)])
    expect(decideClaim(rival, taken, newest, times)).toMatchObject({ rejection: { reason: "ACTIVE_SESSION" } });
});

test("[SE10] who has the lease has the claim; only another process takes it over", () => {
  expect(decideClaim(first, held, record("live"), times)).toEqual({ kind: "granted", isTakeover: false });
  expect(decideClaim(rival, held, record("lost"), times)).toEqual({ kind: "granted", isTakeover: true });
  expect(decideClaim(rival, held, undefined, times)).toEqual({ kind: "granted", isTakeover: false });
});

test("[SE10] a process takes its claim back from another hub, whether its session there is known to be over or not", () => {
  const inherited = { kind: "inherited", from: { ...first, hubId: "hub" }, isTakeover: false };
  expect(decideClaim(first, taken, record("live"), times)).toEqual(inherited);
  expect(decideClaim(first, taken, record("lost"), times)).toEqual(inherited);
});

test("[SE10] a process that was begun anew at the same place follows a lost session at once, and waits while it lives", () => {
  expect(decideClaim(restarted, taken, record("lost"), times)).toMatchObject({ kind: "inherited", isTakeover: true });
  const decision = decideClaim(restarted, taken, record("live"), times);
  expect(decision).toMatchObject({ kind: "refused", rejection: { reason: "ACTIVE_SESSION", retryAfterMs: 5_000 } });
});

test("[SE41] a live session without a lease is an orphan to others; at its own place it is followed", () => {
  expect(decideClaim(rival, held, record("live"), times)).toEqual({ kind: "orphaned" });
  expect(decideClaim(restarted, held, record("live"), times)).toEqual({ kind: "granted", isTakeover: true });
});

test("a lease whose holder is no text of ours is nobody's to inherit", () => {
  const foreign: LeaseAnswer = { kind: "taken", holder: undefined, expiresInMs: 1 };
  expect(decideClaim(first, foreign, record("lost"), times)).toMatchObject({ kind: "refused" });
});

test("a holder survives its text, and other texts are none", () => {
  const holder = { ...first, hubId: "hub" };
  expect(parseHolderText(toHolderText(holder))).toEqual(holder);
  for (const text of ["", "first", "hub first", "hub first one more"]) expect(parseHolderText(text)).toBeUndefined();
});

test("[SE9] claims of two shards, or of two clusters, have different leases", () => {
  const names = [claimName("east", ""), claimName("east", "blue"), claimName("west", ""), claimName("west", "blue")];
  expect(new Set(names).size).toBe(4);
});

test("[SE29] [SE41] a lease outlasts the silence that ends a session, counted from a renewal that was just not due", () => {
  expect(leaseMsOf(5_000)).toBeGreaterThan(renewalMsOf(5_000) + 2 * 5_000);
});
