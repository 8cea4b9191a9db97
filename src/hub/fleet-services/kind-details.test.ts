// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { RejectionFacts, SessionFacts } from "../sessions/session-events.ts";
import { KindDetails } from "./kind-details.ts";

const refusal: RejectionFacts = {
  cluster: "east",
  shard: "",
  agentId: "copy",
  address: "10.0.0.9:1",
  reason: "ACTIVE_SESSION",
  retryAfterMs: 15_000,
  detail: "agent first has a live session for this cluster",
  isProven: true,
  clusterUid: "uid-1",
};

function sessionOf(agentId: string): SessionFacts {
  return {
    cluster: "east",
    shard: "",
    agentId,
    agentVersion: "",
    incarnation: "one",
    address: "",
    epoch: 1,
    connectedAtMs: 0,
    heartbeatMs: 5_000,
  };
}

test("[SE9] a second agent that is refused is remembered until it is let in, or the cluster is forgotten", () => {
  const details = new KindDetails();
  details.handlers.rejected({ attempt: refusal, nowMs: 7 });
  details.handlers.began({ session: sessionOf("first"), nowMs: 8 });
  expect(details.refusedOf("east")).toEqual({ facts: refusal, atMs: 7 });
  details.handlers.began({ session: sessionOf("copy"), nowMs: 9 });
  expect(details.refusedOf("east")).toBeUndefined();
  details.handlers.rejected({ attempt: refusal, nowMs: 10 });
  details.forget("east");
  expect(details.refusedOf("east")).toBeUndefined();
});

test("[L15] who has proven no key, only delivers, or was asked to wait for the hub's sake is no second agent", () => {
  const details = new KindDetails();
  details.handlers.rejected({ attempt: { ...refusal, isProven: false }, nowMs: 1 });
  details.handlers.rejected({ attempt: { ...refusal, shard: "blue" }, nowMs: 1 });
  details.handlers.rejected({ attempt: { ...refusal, reason: "OVERLOADED" }, nowMs: 1 });
  details.handlers.rejected({ attempt: { ...refusal, reason: "UNAUTHORIZED" }, nowMs: 1 });
  expect(details.refusedOf("east")).toBeUndefined();
});

test("[SE7] another cluster that shows the key of this one waits to be accepted, until it is", () => {
  const details = new KindDetails();
  expect(details.replacementOf("east", "uid-1", 0)).toBe("");
  details.handlers.rejected({ attempt: refusal, nowMs: 1 });
  expect(details.replacementOf("east", "uid-0", 1)).toBe("");
  details.handlers.rejected({ attempt: { ...refusal, reason: "WRONG_CLUSTER", clusterUid: "uid-2" }, nowMs: 2 });
  expect(details.replacementOf("east", "uid-1", 2)).toBe("uid-2");
  expect(details.replacementOf("east", "uid-2", 2)).toBe("");
});

test("[PG33] an old refusal no longer offers the other cluster, and its uid can still be accepted", () => {
  const details = new KindDetails();
  details.handlers.rejected({ attempt: { ...refusal, reason: "WRONG_CLUSTER", clusterUid: "uid-2" }, nowMs: 0 });
  expect(details.replacementOf("east", "uid-1", 60_000)).toBe("uid-2");
  expect(details.replacementOf("east", "uid-1", 60_001)).toBe("");
  expect(details.refusedUidsOf("east")).toEqual(["uid-2"]);
});

test("[SE7] 16 refused uids of a cluster are remembered, the newest of them", () => {
  const details = new KindDetails();
  for (let at = 0; at < 20; at += 1)
    details.handlers.rejected({ attempt: { ...refusal, reason: "WRONG_CLUSTER", clusterUid: `uid-${at}` }, nowMs: at });
  expect(details.refusedUidsOf("east")).toHaveLength(16);
  expect(details.refusedUidsOf("east").at(-1)).toBe("uid-19");
});
