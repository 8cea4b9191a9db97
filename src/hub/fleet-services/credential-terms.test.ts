// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { HeartbeatFacts, SessionFacts } from "../sessions/session-events.ts";
import { CredentialTerms } from "./credential-terms.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;

const session: SessionFacts = {
  cluster: "east",
  shard: "",
  agentId: "agent",
  agentVersion: "",
  incarnation: "one",
  address: "",
  epoch: 1,
  connectedAtMs: 0,
  heartbeatMs: 5_000,
};

function beat(credential: HeartbeatFacts["credential"]): HeartbeatFacts {
  return {
    number: 1n,
    apiServerFault: "",
    apiServerSinceMsAgo: 0,
    apiServerError: "",
    apiServerAttemptCount: 0,
    apiServerRetryInMs: 0,
    waitingRowCount: 0,
    oldestWaitingMs: 0,
    messageCount: 0,
    credential,
  };
}

test.each([
  ["a year", 365 * dayMs, 7 * dayMs],
  ["not known", 0, 7 * dayMs],
  ["ten days", 10 * dayMs, dayMs],
  ["an hour, renewed by the kubelet at 80 %", hourMs, hourMs / 10],
])(
  "[SE46] of a credential whose lifetime is %s people are warned in time, and not while it is renewed in time",
  (_what, lifetimeMs, warningMs) => {
    const terms = new CredentialTerms();
    terms.handlers.heartbeat({ session, heartbeat: beat({ endsInMs: 5_000, lifetimeMs }), nowMs: 1_000 });
    expect(terms.of("east")).toEqual({ endsMs: 6_000, warnMs: 6_000 - warningMs });
  },
);

test("[SE46] [L20] an end that is told again a little earlier or later is the same one; a renewed credential is another", () => {
  const terms = new CredentialTerms();
  terms.handlers.heartbeat({ session, heartbeat: beat({ endsInMs: 100 * dayMs, lifetimeMs: 0 }), nowMs: 0 });
  const first = terms.of("east");
  terms.handlers.heartbeat({
    session,
    heartbeat: beat({ endsInMs: 100 * dayMs - 4_000, lifetimeMs: 0 }),
    nowMs: 5_000,
  });
  expect(terms.of("east")).toBe(first);
  terms.handlers.heartbeat({ session, heartbeat: beat({ endsInMs: 200 * dayMs, lifetimeMs: 0 }), nowMs: 10_000 });
  expect(terms.of("east")?.endsMs).toBe(10_000 + 200 * dayMs);
  terms.handlers.heartbeat({ session, heartbeat: beat({ endsInMs: -hourMs, lifetimeMs: 0 }), nowMs: 15_000 });
  expect(terms.of("east")?.endsMs).toBe(15_000 - hourMs);
});

test("[SE46] a credential without an end, and a cluster that is removed, have none; other shards say nothing", () => {
  const terms = new CredentialTerms();
  terms.handlers.heartbeat({
    session: { ...session, shard: "blue" },
    heartbeat: beat({ endsInMs: 1, lifetimeMs: 0 }),
    nowMs: 0,
  });
  expect(terms.of("east")).toBeUndefined();
  terms.handlers.heartbeat({ session, heartbeat: beat({ endsInMs: 1, lifetimeMs: 0 }), nowMs: 0 });
  terms.handlers.heartbeat({ session, heartbeat: beat(undefined), nowMs: 0 });
  expect(terms.of("east")).toBeUndefined();
  terms.handlers.heartbeat({ session, heartbeat: beat({ endsInMs: 1, lifetimeMs: 0 }), nowMs: 0 });
  terms.forget("east");
  expect(terms.of("east")).toBeUndefined();
});
