// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { claimName, decideClaim, type LeaseAnswer, leaseMsOf } from "./claims.ts";

const taken: LeaseAnswer = { kind: "taken", holder: "first", expiresInMs: 1_234.5 };

test("[SE9] a lease of a live session is ACTIVE_SESSION with one lease to wait", () => {
  const decision = decideClaim("rival", taken, { agentId: "first", state: "live" }, 15_000);
  expect(decision).toMatchObject({ kind: "refused", rejection: { reason: "ACTIVE_SESSION", retryAfterMs: 15_000 } });
});

test("[SE9] a lease of a lost session is GRACE_PERIOD with what remains", () => {
  const decision = decideClaim("rival", taken, { agentId: "first", state: "lost" }, 15_000);
  expect(decision).toMatchObject({ kind: "refused", rejection: { reason: "GRACE_PERIOD", retryAfterMs: 1_235 } });
});

test("[SE9] a lease whose holder has no record yet counts as live: it is being accepted", () => {
  for (const newest of [undefined, { agentId: "older", state: "lost" }, { agentId: "older", state: "left" }] as const)
    expect(decideClaim("rival", taken, newest, 1)).toMatchObject({ rejection: { reason: "ACTIVE_SESSION" } });
});

test("[SE10] who has the lease has the claim, and the same agent reclaims", () => {
  const held: LeaseAnswer = { kind: "held" };
  expect(decideClaim("first", held, { agentId: "first", state: "live" }, 1)).toEqual({
    kind: "granted",
    isReclaim: true,
  });
  expect(decideClaim("other", held, { agentId: "first", state: "lost" }, 1)).toEqual({
    kind: "granted",
    isReclaim: false,
  });
});

test("[U-63] claims of two shards, or of two clusters, have different leases", () => {
  const names = [claimName("east", ""), claimName("east", "blue"), claimName("west", ""), claimName("west", "blue")];
  expect(new Set(names).size).toBe(4);
});

test("[SE29] a lease outlasts the silence that ends a session", () => {
  expect(leaseMsOf(5_000)).toBeGreaterThan(2 * 5_000);
});
