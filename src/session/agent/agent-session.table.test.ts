// SPDX-License-Identifier: Apache-2.0
// Every event in every state has an outcome; the tables are the whole of it.
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { answerLimitMs, beginSession, stepSession, wakeAtMs } from "./agent-session.ts";
import type { HubMessage } from "./parse-response.ts";
import type { AgentSessionFacts, SessionEvent } from "./session-event.ts";
import type { AgentSession, AgentSessionStep } from "./session-state.ts";
import { facts, live, nowMs, options, pace } from "./testing/sample-session.ts";

type StateName = "greeting" | "signing" | "proving" | "live" | "busy" | "held" | "leaving" | "ended";
type EventName = Exclude<SessionEvent["kind"], "message" | "sent"> | `message ${HubMessage["kind"]}` | SentName;
type SentName = "sent flush" | "sent part" | "sent goodbye";

const lost = new FlotillaError("UNAVAILABLE", "the network is gone");

const states: Record<StateName, AgentSession> = {
  greeting: { kind: "greeting", pace, deadlineMs: nowMs },
  signing: { kind: "proving", pace, deadlineMs: nowMs, isSent: false },
  proving: { kind: "proving", pace, deadlineMs: nowMs, isSent: true },
  live,
  busy: { ...live, flush: "building" },
  held: {
    kind: "held",
    pace,
    deadlineMs: nowMs,
    ending: { kind: "rejected", reason: "WRONG_CLUSTER", retryAfterMs: 15_000, detail: "", wasLive: false },
  },
  leaving: { kind: "leaving", pace, deadlineMs: nowMs, ending: { kind: "left" } },
  ended: { kind: "ended", pace, ending: { kind: "left" } },
};

const limits = { creditBytes: 1_000, maxMessageBytes: 4_000_000, maxJoinedBytes: 256_000_000 };
const config = { syncIntervalMs: undefined, isPaused: undefined };
const messages: Record<HubMessage["kind"], HubMessage> = {
  challenge: { kind: "challenge", nonce: new Uint8Array(32), hubName: "hub" },
  welcome: {
    kind: "welcome",
    epoch: 1n,
    durableIncarnation: "",
    durableSeq: 0,
    heartbeatMs: 5_000,
    limits,
    config,
    heldResources: [],
  },
  rejected: { kind: "rejected", reason: "PAUSED", retryAfterMs: 5, detail: "for a while", isHeld: false },
  ack: { kind: "ack", seq: 4 },
  credit: { kind: "credit", byteCount: 9, position: 0 },
  needDigests: { kind: "needDigests", level: "buckets", resources: ["pods"] },
  needBuckets: { kind: "needBuckets", resource: "pods", all: true, buckets: [] },
  config: { kind: "config", config },
  drain: { kind: "drain", retryAfterMs: 5 },
  heartbeatAnswer: { kind: "heartbeatAnswer", number: 2, messageCount: 3 },
  probeApiServer: { kind: "probeApiServer" },
  openTunnel: { kind: "openTunnel", offer: { tunnelId: "tun_1", ticket: new Uint8Array(32), deadlineMs: 15_000 } },
  reviewAccess: { kind: "reviewAccess", order: { number: 1, requests: [] } },
  objectHint: { kind: "objectHint", hint: { number: 1, resource: "pods", namespace: "a", name: "b" } },
  unknown: { kind: "unknown" },
};

const events: Record<EventName, SessionEvent> = {
  signed: { kind: "signed", signature: new Uint8Array(64) },
  tick: { kind: "tick" },
  rowsChanged: { kind: "rowsChanged" },
  statusChanged: { kind: "statusChanged" },
  apiServerChanged: { kind: "apiServerChanged" },
  tunnelFailed: { kind: "tunnelFailed", failure: { tunnelId: "tun_1", error: lost } },
  accessChecked: { kind: "accessChecked" },
  accessReviewed: { kind: "accessReviewed", answer: { number: 1, verdicts: [] } },
  hintAnswered: { kind: "hintAnswered", answer: { number: 1, result: "unchanged" } },
  listCompleted: { kind: "listCompleted" },
  resumed: { kind: "resumed", outcome: "resumed" },
  flushBuilt: { kind: "flushBuilt", isEmpty: false, isCut: false },
  "sent flush": { kind: "sent", what: "flush" },
  "sent part": { kind: "sent", what: "part" },
  "sent goodbye": { kind: "sent", what: "goodbye" },
  leave: { kind: "leave", reason: "stop" },
  streamEnded: { kind: "streamEnded", error: lost },
  "message challenge": { kind: "message", message: messages.challenge },
  "message welcome": { kind: "message", message: messages.welcome },
  "message rejected": { kind: "message", message: messages.rejected },
  "message ack": { kind: "message", message: messages.ack },
  "message credit": { kind: "message", message: messages.credit },
  "message needDigests": { kind: "message", message: messages.needDigests },
  "message needBuckets": { kind: "message", message: messages.needBuckets },
  "message config": { kind: "message", message: messages.config },
  "message drain": { kind: "message", message: messages.drain },
  "message heartbeatAnswer": { kind: "message", message: messages.heartbeatAnswer },
  "message probeApiServer": { kind: "message", message: messages.probeApiServer },
  "message openTunnel": { kind: "message", message: messages.openTunnel },
  "message reviewAccess": { kind: "message", message: messages.reviewAccess },
  "message objectHint": { kind: "message", message: messages.objectHint },
  "message unknown": { kind: "message", message: messages.unknown },
};

/** The next state and the effects, in short. */
function outcome({ session, effects }: AgentSessionStep): string {
  const told = effects.map((effect) => {
    if (effect.kind === "send") return effect.intent.kind;
    if (effect.kind !== "end") return effect.kind;
    const { ending } = effect;
    return ending.kind === "lost" ? ending.error.code : ending.kind === "rejected" ? ending.reason : ending.kind;
  });
  return [session.kind, ...told].join(" ");
}

const unproved = (kind: "greeting" | "proving"): Record<EventName, string> => ({
  signed: kind,
  tick: "ended DEADLINE_EXCEEDED",
  rowsChanged: kind,
  statusChanged: kind,
  apiServerChanged: kind,
  tunnelFailed: kind,
  accessChecked: kind,
  accessReviewed: kind,
  hintAnswered: kind,
  listCompleted: kind,
  resumed: kind,
  flushBuilt: kind,
  "sent flush": kind,
  "sent part": kind,
  "sent goodbye": kind,
  leave: "ended left",
  streamEnded: "ended UNAVAILABLE",
  "message challenge": "ended MALFORMED",
  "message welcome": "ended MALFORMED",
  "message rejected": "ended PAUSED",
  "message ack": "ended MALFORMED",
  "message credit": "ended MALFORMED",
  "message needDigests": "ended MALFORMED",
  "message needBuckets": "ended MALFORMED",
  "message config": "ended MALFORMED",
  "message drain": "ended MALFORMED",
  "message heartbeatAnswer": "ended MALFORMED",
  "message probeApiServer": "ended MALFORMED",
  "message openTunnel": "ended MALFORMED",
  "message reviewAccess": "ended MALFORMED",
  "message objectHint": "ended MALFORMED",
  "message unknown": `${kind} countUnknown`,
});

const liveTable: Record<EventName, string> = {
  signed: "live",
  tick: "live heartbeat root buildFlush",
  rowsChanged: "live buildFlush",
  statusChanged: "live statuses",
  apiServerChanged: "live heartbeat",
  tunnelFailed: "live tunnelFailures",
  accessChecked: "live accessReport",
  accessReviewed: "live accessVerdicts",
  hintAnswered: "live hintAnswers",
  listCompleted: "live statuses kinds",
  resumed: "live buildFlush",
  flushBuilt: "live flush",
  "sent flush": "live buildFlush",
  "sent part": "live",
  "sent goodbye": "live",
  leave: "leaving goodbye",
  streamEnded: "ended UNAVAILABLE",
  "message challenge": "ended MALFORMED",
  "message welcome": "ended MALFORMED",
  "message rejected": "ended PAUSED",
  "message ack": "live acknowledge",
  "message credit": "live setCredit",
  "message needDigests": "live buckets",
  "message needBuckets": "live need",
  "message config": "live configure buildFlush",
  "message drain": "leaving goodbye",
  "message heartbeatAnswer": "live",
  "message probeApiServer": "live probeApiServer",
  "message openTunnel": "live openTunnel",
  "message reviewAccess": "live reviewAccess",
  "message objectHint": "live takeHint",
  "message unknown": "live countUnknown",
};

function every(value: string): Record<EventName, string> {
  const table: Record<EventName, string> = { ...liveTable };
  for (const name of eventNames()) table[name] = value;
  return table;
}

const tables: Record<StateName, Record<EventName, string>> = {
  greeting: { ...unproved("greeting"), "message challenge": "proving sign" },
  signing: { ...unproved("proving"), signed: "proving proof" },
  proving: {
    ...unproved("proving"),
    "message welcome": "live configure setCredit resume statuses heartbeat accessReport",
  },
  live: liveTable,
  // While a flush is being made no other is asked for.
  busy: {
    ...liveTable,
    tick: "live heartbeat root",
    rowsChanged: "live",
    resumed: "live",
    "message config": "live configure",
  },
  held: {
    ...every("held"),
    ...Object.fromEntries(Object.keys(messages).map((kind) => [`message ${kind}`, "ended WRONG_CLUSTER"])),
    "message unknown": "held countUnknown",
    tick: "ended WRONG_CLUSTER",
    leave: "ended left",
    streamEnded: "ended WRONG_CLUSTER",
  },
  leaving: {
    ...every("leaving"),
    tick: "ended left",
    "sent goodbye": "ended left",
    streamEnded: "ended left",
    "message ack": "leaving acknowledge",
  },
  ended: every("ended"),
};

function eventNames(): EventName[] {
  return Object.keys(events) as EventName[];
}

const cases = (Object.keys(states) as StateName[]).flatMap((state) => eventNames().map((event) => ({ state, event })));

test.each(cases)("[SE2] [SE3] [SE4] [SE29] [SE31] [SE45] [SE62] [SE63] $state, $event", ({ state, event }) => {
  expect(outcome(stepSession(states[state], events[event], facts, options))).toBe(tables[state][event]);
});

test("[SE2] a session begins with Hello, and the hub has a bounded time to answer", () => {
  const begun = beginSession(pace, facts);
  expect(outcome(begun)).toBe("greeting hello");
  expect(wakeAtMs(begun.session, facts, options)).toBe(nowMs + answerLimitMs);
});

test("[SE6] the challenge of another hub is not signed", () => {
  const other: SessionEvent = {
    kind: "message",
    message: { kind: "challenge", nonce: new Uint8Array(32), hubName: "x" },
  };
  expect(outcome(stepSession(states.greeting, other, facts, options))).toBe("ended PERMISSION_DENIED");
});

test("[SE4] an acknowledgement of what was never sent ends the session", () => {
  const ahead: SessionEvent = { kind: "message", message: { kind: "ack", seq: 5 } };
  expect(outcome(stepSession(live, ahead, facts, options))).toBe("ended MALFORMED");
});

test("[SE29] silence of two heartbeats ends a live session; anything received, or a part of a long message sent, puts it off", () => {
  const silent = { ...live, heardAtMs: nowMs - 10_000 };
  expect(outcome(stepSession(silent, events.tick, facts, options))).toBe("ended DEADLINE_EXCEEDED");
  for (const event of [events["message heartbeatAnswer"], events["message unknown"], events["sent part"]]) {
    const { session } = stepSession(silent, event, facts, options);
    expect(stepSession(session, events.tick, facts, options).session.kind).toBe("live");
  }
});

test("[SE35] [Q-32] an answer that counts other messages than came ends the session; one that says nothing of them does not", () => {
  const answered = (messageCount: number): string => {
    const event: SessionEvent = { kind: "message", message: { kind: "heartbeatAnswer", number: 2, messageCount } };
    return outcome(stepSession(live, event, facts, options));
  };
  expect([0, 3].map(answered)).toEqual(["live", "live"]);
  expect([2, 4].map(answered)).toEqual(["ended MALFORMED", "ended MALFORMED"]);
  const { session } = stepSession(live, events["message unknown"], facts, options);
  expect(session).toMatchObject({ heardCount: 4 });
});

test("[SE20] [SE21] without credit, and while paused, no flush is made; heartbeats go on", () => {
  const noCredit = { ...facts, hasCredit: false };
  expect(outcome(stepSession(live, events.tick, noCredit, options))).toBe("live heartbeat root");
  expect(outcome(stepSession({ ...live, isPaused: true }, events.tick, facts, options))).toBe("live heartbeat");
  const resumed: SessionEvent = {
    kind: "message",
    message: { kind: "config", config: { syncIntervalMs: undefined, isPaused: false } },
  };
  expect(outcome(stepSession({ ...live, isPaused: true }, resumed, facts, options))).toBe(
    "live configure kinds root buildFlush",
  );
});

test("[SE18] [Q-42] while many rows change, changed grants wait for the shortest interval and other rows for the grown one", () => {
  const busy = {
    ...live,
    pace: { ...pace, intervalMs: 1_000, flushedAtMs: nowMs - options.minFlushIntervalMs },
    nextHeartbeatMs: nowMs + 2_000,
    nextScanMs: nowMs + 2_000,
  };
  const changed: SessionEvent = { kind: "rowsChanged" };
  expect(outcome(stepSession(busy, changed, facts, options))).toBe("live");
  expect(outcome(stepSession(busy, changed, { ...facts, hasWaitingGrants: true }, options))).toBe("live buildFlush");
});

test("[SE18] a change waits for the interval since the flush before, and the session asks to be woken then", () => {
  const recent = {
    ...live,
    pace: { ...pace, flushedAtMs: nowMs - 40 },
    nextHeartbeatMs: nowMs + 900,
    nextScanMs: nowMs + 900,
  };
  expect(outcome(stepSession(recent, events.rowsChanged, facts, options))).toBe("live");
  expect(wakeAtMs(recent, facts, options)).toBe(nowMs + 60);
  expect(wakeAtMs(recent, { ...facts, hasWaiting: false }, options)).toBe(nowMs + 900);
});

describe("[U-53] rows that the hub asked for", () => {
  const none: AgentSessionFacts = { ...facts, hasWaiting: false };
  const asked = stepSession(live, { kind: "message", message: messages.needBuckets }, none, options).session;
  const wantsRoot = (step: ReturnType<typeof stepSession>): boolean =>
    step.effects.some((effect) => effect.kind === "send" && effect.intent.kind === "root");

  test("are followed by a root digest once they are sent, and only once", () => {
    const building = stepSession(asked, { kind: "rowsChanged" }, facts, options);
    expect(building.effects.map(({ kind }) => kind)).toEqual(["buildFlush"]);
    const built = stepSession(building.session, { kind: "flushBuilt", isEmpty: false, isCut: false }, none, options);
    const sent = stepSession(built.session, { kind: "sent", what: "flush" }, none, options);
    expect([wantsRoot(built), wantsRoot(sent)]).toEqual([false, true]);
    const again = stepSession(sent.session, { kind: "sent", what: "flush" }, none, options);
    expect(wantsRoot(again)).toBe(false);
  });

  test("are not taken for sent by a flush that was under way before, nor by one that left some over", () => {
    const before = stepSession(
      { ...asked, flush: "ready" } as AgentSession,
      { kind: "sent", what: "flush" },
      none,
      options,
    );
    expect(wantsRoot(before)).toBe(false);
    const building = stepSession(before.session, { kind: "rowsChanged" }, facts, options);
    const cut = stepSession(building.session, { kind: "flushBuilt", isEmpty: false, isCut: true }, none, options);
    expect(wantsRoot(stepSession(cut.session, { kind: "sent", what: "flush" }, none, options))).toBe(false);
  });
});

describe("[SE27] [U-53] digests of kinds that the hub asks for", () => {
  const none: AgentSessionFacts = { ...facts, hasWaiting: false };
  const need: SessionEvent = { kind: "message", message: { kind: "needDigests", level: "kinds", resources: [] } };
  const built: SessionEvent = { kind: "flushBuilt", isEmpty: false, isCut: false };
  const sent: SessionEvent = { kind: "sent", what: "flush" };
  const follow = (session: AgentSession, steps: readonly (readonly [SessionEvent, AgentSessionFacts])[]): string[] => {
    let at = session;
    return steps.map(([event, its]) => {
      const step = stepSession(at, event, its, options);
      at = step.session;
      return outcome(step);
    });
  };

  test("are said at once where nothing waits, and while paused", () => {
    expect(follow(live, [[need, none]])).toEqual(["live kinds"]);
    expect(follow({ ...live, isPaused: true }, [[need, facts]])).toEqual(["live kinds"]);
  });

  test("follow the rows that waited, so that equal ones show a hub that has those too", () => {
    const steps = [
      [need, facts],
      [built, none],
      [sent, none],
      [sent, none],
    ] as const;
    expect(follow(live, steps)).toEqual(["live buildFlush", "live flush", "live kinds", "live"]);
  });

  test("follow a flush that is under way, and the next where that one has not all", () => {
    const ready: AgentSession = { ...live, flush: "ready" };
    expect(
      follow(ready, [
        [need, none],
        [sent, none],
      ]),
    ).toEqual(["live", "live kinds"]);
    const steps = [
      [need, facts],
      [sent, facts],
      [built, none],
      [sent, none],
    ] as const;
    expect(follow(ready, steps)).toEqual(["live", "live buildFlush", "live flush", "live kinds"]);
  });

  test("are waited for by scans while rows wait for credit, and are said by the next scan once none does", () => {
    const noCredit: AgentSessionFacts = { ...facts, hasCredit: false };
    const asked = stepSession(live, need, noCredit, options).session;
    expect(follow(asked, [[events.tick, noCredit]])).toEqual(["live heartbeat"]);
    expect(follow(asked, [[events.tick, none]])).toEqual(["live heartbeat kinds"]);
  });
});
