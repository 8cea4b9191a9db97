// SPDX-License-Identifier: Apache-2.0
// Every pair of state and event of the hub's end, and what follows.
import { describe, expect, test } from "vitest";
import { openHubSession, stepHubSession } from "./hub-session.ts";
import type { HubLiveState, HubSessionContext, HubSessionEvent, HubSessionState } from "./hub-session-types.ts";
import type { FlushFacts, HelloFacts, ParsedRequest } from "./parsed-request.ts";
import { defaultSessionLimits } from "./session-limits.ts";

const context: HubSessionContext = {
  limits: defaultSessionLimits,
  maxKindCount: 2_000,
  nonce: new Uint8Array(32),
};
const hello: HelloFacts = {
  protocol: 1,
  clusterId: "east",
  shard: "",
  agentId: "agent",
  incarnation: "inc",
  agentVersion: "1",
  clusterUid: "uid",
  metadata: { region: "", environment: "", version: "", kubernetesVersion: "", labels: new Map() },
  resources: [],
  namespaces: { included: [], excluded: [] },
  servesTunnels: false,
  takesHints: false,
};
const live: HubLiveState = {
  kind: "live",
  hello,
  announced: new Set(["pods"]),
  received: 5,
  acked: 4,
  unackedBytes: 10,
  creditBytes: 100,
  highestCreditBytes: 100,
  deadlineAtMs: 10_000,
  heardCount: 0,
  isDraining: false,
};

const states = {
  opened: openHubSession(context, 0),
  challenged: { kind: "challenged", hello, nonce: context.nonce, deadlineAtMs: 10_000 },
  deciding: { kind: "deciding", hello },
  held: { kind: "held", deadlineAtMs: 10_000 },
  live,
  ended: { kind: "ended" },
} as const satisfies Record<HubSessionState["kind"], HubSessionState>;

function flush(seq: number, sizeBytes = 10): FlushFacts {
  return { seq, collectedMsAgo: 0, parts: [], sizeBytes };
}

function message(of: Exclude<ParsedRequest, { kind: "chunk" }>): HubSessionEvent {
  return { kind: "message", message: of, nowMs: 1_000 };
}

const heartbeat = {
  number: 1n,
  apiServerFault: "",
  apiServerSinceMsAgo: 0,
  apiServerError: "",
  apiServerAttemptCount: 0,
  apiServerRetryInMs: 0,
  waitingRowCount: 0,
  oldestWaitingMs: 0,
  messageCount: 0,
  credential: undefined,
};
const rejection = { reason: "ACTIVE_SESSION", retryAfterMs: 1, detail: "" } as const;

const events = {
  hello: message({ kind: "hello", hello }),
  proof: message({ kind: "proof", signature: new Uint8Array() }),
  nextFlush: message({ kind: "flush", flush: flush(6) }),
  oldFlush: message({ kind: "flush", flush: flush(4) }),
  flushUnderWay: message({ kind: "flush", flush: flush(5) }),
  flushWithGap: message({ kind: "flush", flush: flush(7) }),
  flushOverCredit: message({ kind: "flush", flush: flush(6, 91) }),
  kindsFollowed: message({ kind: "kindsFollowed", resources: ["pods"] }),
  kindStatuses: message({ kind: "kindStatuses", kinds: [] }),
  digests: message({ kind: "digests", digests: { seq: 5, depth: "kinds", kinds: [], grantsWait: false } }),
  digestsOfAnotherSeq: message({ kind: "digests", digests: { seq: 4, depth: "kinds", kinds: [], grantsWait: false } }),
  heartbeat: message({ kind: "heartbeat", heartbeat }),
  tunnelFailures: message({ kind: "tunnelFailures", failures: [] }),
  accessReport: message({ kind: "accessReport", report: { authorizers: "rbac", detail: "", reviews: "allowed" } }),
  accessVerdicts: message({ kind: "accessVerdicts", answer: { number: 1, verdicts: ["allowed"] } }),
  hintAnswers: message({ kind: "hintAnswers", answers: [{ number: 1, result: "refreshed" }] }),
  goodbye: message({ kind: "goodbye", reason: "" }),
  unknown: message({ kind: "unknown" }),
  malformed: message({ kind: "refused", refusal: { reason: "malformed", detail: "" } }),
  chunk: { kind: "chunk", nowMs: 1_000 },
  accepted: {
    kind: "accepted",
    epoch: 1,
    durableIncarnation: "inc",
    durableSeq: 3,
    creditBytes: 0,
    position: 2,
    isPaused: false,
    heldResources: [],
    nowMs: 1_000,
  },
  rejected: { kind: "rejected", rejection },
  rejectedHeld: { kind: "rejected", rejection, heldUntilMs: 10_000 },
  released: { kind: "released" },
  flushed: { kind: "flushed", seq: 5, sizeBytes: 10 },
  refused: { kind: "refused", refusal: { reason: "fenced", detail: "" } },
  credit: { kind: "credit", creditBytes: 50, position: 0 },
  paused: { kind: "paused", isPaused: true },
  probeAsked: { kind: "probeAsked" },
  tunnelWanted: {
    kind: "tunnelWanted",
    offer: { tunnelId: "tun_1", ticket: new Uint8Array(32), deadlineMs: 15_000 },
  },
  reviewWanted: { kind: "reviewWanted", order: { number: 1, requests: [] } },
  hintGiven: { kind: "hintGiven", hint: { number: 1, resource: "pods", namespace: "a", name: "b" } },
  early: { kind: "due", nowMs: 9_999 },
  due: { kind: "due", nowMs: 10_000 },
  broken: { kind: "broken", detail: "" },
  cut: { kind: "cut", reason: "revoked", detail: "", rejection },
  drain: { kind: "drain", retryAfterMs: 1 },
} as const satisfies Record<string, HubSessionEvent>;

type StateName = keyof typeof states;
type EventName = keyof typeof events;

/** The state that follows, then what is done, in order; `send` with what is sent, `end` with how it ended. */
type Outcome = readonly [StateName, ...string[]];

const protocol: Outcome = ["ended", "countRefusal", "send rejected", "end never"];
const skipped = (state: StateName): Outcome => [state, "countUnknown"];
const nothing = (state: StateName): Outcome => [state];

function beforeWelcome(state: "opened" | "challenged" | "deciding"): Record<EventName, Outcome> {
  return {
    hello: protocol,
    proof: protocol,
    nextFlush: protocol,
    oldFlush: protocol,
    flushUnderWay: protocol,
    flushWithGap: protocol,
    flushOverCredit: protocol,
    kindsFollowed: protocol,
    kindStatuses: protocol,
    digests: protocol,
    digestsOfAnotherSeq: protocol,
    heartbeat: protocol,
    tunnelFailures: protocol,
    accessReport: protocol,
    accessVerdicts: protocol,
    hintAnswers: protocol,
    goodbye: protocol,
    unknown: skipped(state),
    malformed: protocol,
    chunk: protocol,
    accepted: nothing(state),
    rejected: nothing(state),
    rejectedHeld: nothing(state),
    released: nothing(state),
    flushed: nothing(state),
    refused: nothing(state),
    credit: nothing(state),
    paused: nothing(state),
    probeAsked: nothing(state),
    tunnelWanted: nothing(state),
    reviewWanted: nothing(state),
    hintGiven: nothing(state),
    early: nothing(state),
    due: protocol,
    broken: ["ended", "end never"],
    cut: ["ended", "send rejected", "end never"],
    drain: ["ended", "send rejected", "end never"],
  };
}

const refused: Outcome = ["ended", "countRefusal", "send rejected", "end lost refused"];

const left: Outcome = ["ended", "end never"];

const table: Record<StateName, Record<EventName, Outcome>> = {
  opened: { ...beforeWelcome("opened"), hello: ["challenged", "send challenge"] },
  challenged: { ...beforeWelcome("challenged"), proof: ["deciding", "decide"] },
  deciding: {
    ...beforeWelcome("deciding"),
    accepted: ["live", "send welcome", "send credit"],
    rejected: ["ended", "observeRejection", "send rejected", "end never"],
    rejectedHeld: ["held", "observeRejection", "send rejected"],
    due: nothing("deciding"),
  },
  held: {
    hello: left,
    proof: left,
    nextFlush: left,
    oldFlush: left,
    flushUnderWay: left,
    flushWithGap: left,
    flushOverCredit: left,
    kindsFollowed: left,
    kindStatuses: left,
    digests: left,
    digestsOfAnotherSeq: left,
    heartbeat: left,
    tunnelFailures: left,
    accessReport: left,
    accessVerdicts: left,
    hintAnswers: left,
    goodbye: left,
    unknown: skipped("held"),
    malformed: left,
    chunk: left,
    accepted: nothing("held"),
    rejected: nothing("held"),
    rejectedHeld: nothing("held"),
    released: left,
    flushed: nothing("held"),
    refused: nothing("held"),
    credit: nothing("held"),
    paused: nothing("held"),
    probeAsked: nothing("held"),
    tunnelWanted: nothing("held"),
    reviewWanted: nothing("held"),
    hintGiven: nothing("held"),
    early: nothing("held"),
    due: left,
    broken: left,
    cut: left,
    drain: left,
  },
  live: {
    hello: refused,
    proof: refused,
    nextFlush: ["live", "ingest"],
    oldFlush: ["live", "send ack"],
    flushUnderWay: nothing("live"),
    flushWithGap: refused,
    flushOverCredit: refused,
    kindsFollowed: nothing("live"),
    kindStatuses: ["live", "statuses"],
    digests: ["live", "compare"],
    digestsOfAnotherSeq: refused,
    heartbeat: ["live", "send heartbeatAnswer", "heartbeat"],
    tunnelFailures: ["live", "tunnelFailures"],
    accessReport: ["live", "accessReport"],
    accessVerdicts: ["live", "accessVerdicts"],
    hintAnswers: ["live", "hintAnswers"],
    goodbye: ["ended", "end left"],
    unknown: skipped("live"),
    malformed: refused,
    chunk: nothing("live"),
    accepted: nothing("live"),
    rejected: nothing("live"),
    rejectedHeld: nothing("live"),
    released: nothing("live"),
    flushed: ["live", "send ack"],
    refused,
    credit: ["live", "send credit"],
    paused: ["live", "send config"],
    probeAsked: ["live", "send probeApiServer"],
    tunnelWanted: ["live", "send openTunnel"],
    reviewWanted: ["live", "send reviewAccess"],
    hintGiven: ["live", "send objectHint"],
    early: nothing("live"),
    due: ["ended", "end lost heartbeatMissed"],
    broken: ["ended", "end lost streamBroken"],
    cut: ["ended", "send rejected", "end lost revoked"],
    drain: ["live", "send drain"],
  },
  ended: {
    hello: nothing("ended"),
    proof: nothing("ended"),
    nextFlush: nothing("ended"),
    oldFlush: nothing("ended"),
    flushUnderWay: nothing("ended"),
    flushWithGap: nothing("ended"),
    flushOverCredit: nothing("ended"),
    kindsFollowed: nothing("ended"),
    kindStatuses: nothing("ended"),
    digests: nothing("ended"),
    digestsOfAnotherSeq: nothing("ended"),
    heartbeat: nothing("ended"),
    tunnelFailures: nothing("ended"),
    accessReport: nothing("ended"),
    accessVerdicts: nothing("ended"),
    hintAnswers: nothing("ended"),
    goodbye: nothing("ended"),
    unknown: nothing("ended"),
    malformed: nothing("ended"),
    chunk: nothing("ended"),
    accepted: nothing("ended"),
    rejected: nothing("ended"),
    rejectedHeld: nothing("ended"),
    released: nothing("ended"),
    flushed: nothing("ended"),
    refused: ["ended", "countRefusal"],
    credit: nothing("ended"),
    paused: nothing("ended"),
    probeAsked: nothing("ended"),
    tunnelWanted: nothing("ended"),
    reviewWanted: nothing("ended"),
    hintGiven: nothing("ended"),
    early: nothing("ended"),
    due: nothing("ended"),
    broken: nothing("ended"),
    cut: nothing("ended"),
    drain: nothing("ended"),
  },
};

function outcomeOf(state: HubSessionState, event: HubSessionEvent): Outcome {
  const step = stepHubSession(state, event, context);
  const effects = step.effects.map((effect) => {
    if (effect.kind === "send") return `send ${effect.answer.kind}`;
    if (effect.kind !== "end") return effect.kind;
    const { ending } = effect;
    return ending.kind === "lost" ? `end lost ${ending.reason}` : `end ${ending.kind}`;
  });
  return [step.state.kind, ...effects];
}

const stateNames = Object.keys(states) as StateName[];
const eventNames = Object.keys(events) as EventName[];

describe.each(stateNames)("[SE2] [SE4] [SE12] [SE45] [SE62] [SE63] in %s", (state) => {
  test.each(eventNames)("%s", (event) => {
    expect(outcomeOf(states[state], events[event])).toEqual(table[state][event]);
  });
});

function stepLiveState(state: HubLiveState, event: HubSessionEvent): HubLiveState {
  const { state: next } = stepHubSession(state, event, context);
  if (next.kind !== "live") throw new Error(`the session is ${next.kind}`);
  return next;
}

describe("what a live session counts", () => {
  test("[SE13] a session goes on behind what is durable of its own incarnation, and begins at 1 in a new one", () => {
    const own = stepHubSession(states.deciding, events.accepted, context).state;
    expect(own).toMatchObject({ kind: "live", received: 3, acked: 3 });
    const foreign = { ...events.accepted, durableIncarnation: "another" };
    expect(stepHubSession(states.deciding, foreign, context).state).toMatchObject({ received: 0, acked: 0 });
  });

  test("[SE20] bytes count from receipt to acknowledgement", () => {
    const received = stepLiveState(live, events.nextFlush);
    expect(received).toMatchObject({ received: 6, acked: 4, unackedBytes: 20 });
    const acked = stepLiveState(received, { kind: "flushed", seq: 5, sizeBytes: 10 });
    expect(acked).toMatchObject({ acked: 5, unackedBytes: 10 });
  });

  test("[SE20] a flush over the credit is taken alone, but not from one that was told to wait", () => {
    const idle = { ...live, acked: 5, unackedBytes: 0 };
    const large = message({ kind: "flush", flush: flush(6, 1_000) });
    expect(outcomeOf(idle, large)).toEqual(["live", "ingest"]);
    expect(outcomeOf({ ...idle, highestCreditBytes: 0, creditBytes: 0 }, large)).toEqual(refused);
  });

  test("[SE21] a smaller credit is not held against flushes that were sent before it was heard of", () => {
    const shrunk = stepLiveState({ ...live, acked: 4 }, { kind: "credit", creditBytes: 0, position: 0 });
    expect(outcomeOf(shrunk, events.nextFlush)).toEqual(["live", "ingest"]);
  });

  test("[SE29] anything received moves the deadline", () => {
    for (const name of ["heartbeat", "nextFlush", "kindStatuses", "chunk", "unknown"] as const)
      expect(stepLiveState(live, events[name]).deadlineAtMs).toBe(1_000 + 2 * context.limits.heartbeatMs);
  });

  test("[SE35] [Q-32] [N-25] a heartbeat that counts other messages than came is out of sequence; chunks and unknown ones are counted", () => {
    let state = live;
    for (const name of ["nextFlush", "kindStatuses", "chunk", "unknown"] as const)
      state = stepLiveState(state, events[name]);
    const beaten = (messageCount: number): unknown =>
      outcomeOf(state, message({ kind: "heartbeat", heartbeat: { ...heartbeat, messageCount } }));
    expect([beaten(0), beaten(4)]).toEqual([outcomeOf(live, events.heartbeat), outcomeOf(live, events.heartbeat)]);
    expect([beaten(3), beaten(5)]).toEqual([refused, refused]);
  });

  test("[SE1] a shard that only delivers may send heartbeats and goodbye, and nothing observed", () => {
    const shard: HubLiveState = { ...live, hello: { ...hello, shard: "blue" } };
    for (const name of ["nextFlush", "kindStatuses", "digests"] as const)
      expect(outcomeOf(shard, events[name])).toEqual(refused);
    expect(outcomeOf(shard, events.heartbeat)[0]).toBe("live");
  });

  test("[SE27] digests that cannot be matched are told as such, everything else that is refused as PROTOCOL", () => {
    const reasonOf = (reason: "diverged" | "fenced"): unknown => {
      const { effects } = stepHubSession(live, { kind: "refused", refusal: { reason, detail: "x" } }, context);
      return effects.flatMap((effect) =>
        effect.kind === "send" && effect.answer.kind === "rejected" ? effect.answer.rejection.reason : [],
      );
    };
    expect([reasonOf("diverged"), reasonOf("fenced")]).toEqual([["DIVERGED"], ["PROTOCOL"]]);
  });

  test("[SE31] an agent is told to drain once", () => {
    expect(outcomeOf(stepLiveState(live, events.drain), events.drain)).toEqual(["live"]);
  });
});
