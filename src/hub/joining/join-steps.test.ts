// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { codeLifeMs, codeTokenLifeMs } from "./join-code.ts";
import { isJoinOver, type JoinFacts, type JoinStep, toJoinSteps } from "./join-steps.ts";

const code = {
  cluster: "east",
  createdAtMs: 1_000,
  expiresAtMs: 1_000 + codeLifeMs,
  fetchCount: 0,
  fetched: undefined,
};
const nothing: JoinFacts = {
  nowMs: 2_000,
  code,
  refusal: undefined,
  handshakes: [],
  registration: "none",
  hasSession: false,
  connection: undefined,
  forbiddenKinds: [],
};
const fetched: JoinFacts = { ...nothing, code: { ...code, fetchCount: 1, fetched: { atMs: 1_500, from: "10.0.0.7" } } };

function current(facts: JoinFacts): JoinStep | undefined {
  return toJoinSteps(facts).find(({ state }) => state !== "done");
}

function states(facts: JoinFacts): string {
  return toJoinSteps(facts)
    .map(({ name, state }) => `${name}:${state}`)
    .join(" ");
}

describe("[IN16] the steps of a join", () => {
  test("come one after another, and only the first that is not done has hints", () => {
    expect(states(nothing)).toBe("code:done fetched:waiting registered:waiting session:waiting live:waiting");
    expect(states(fetched)).toBe("code:done fetched:done registered:waiting session:waiting live:waiting");
    const registered: JoinFacts = {
      ...fetched,
      registration: "registered",
      connection: { state: "neverSeen", sentence: "" },
    };
    expect(states(registered)).toBe("code:done fetched:done registered:done session:waiting live:waiting");
    const live: JoinFacts = { ...registered, hasSession: true, connection: { state: "live", sentence: "" } };
    expect(states(live)).toBe("code:done fetched:done registered:done session:done live:done");
    for (const facts of [nothing, fetched, registered, live]) {
      const first = current(facts);
      const others = toJoinSteps(facts).filter((step) => step !== first && step.name !== first?.name);
      expect(others.flatMap(({ hints }) => hints)).toEqual([]);
    }
  });

  test("say who fetched the manifest, and how often", () => {
    expect(toJoinSteps(fetched)[1]).toMatchObject({
      sentence: "The manifest was fetched by 10.0.0.7.",
      atMs: 1_500,
    });
    const twice = { ...fetched, code: { ...fetched.code, fetchCount: 2 } };
    expect(toJoinSteps(twice)[1]?.sentence).toBe("The manifest was fetched by 10.0.0.7, 2 times so far.");
  });

  test("name a command for what the hub cannot see: image, RBAC, egress, TLS, clock", () => {
    const hints = current(fetched)?.hints ?? [];
    expect(hints.map(({ sentence }) => sentence.split(":")[0])).toEqual(["Image", "RBAC", "Egress", "TLS", "Clock"]);
    for (const { command } of hints) expect(command).toMatch(/^kubectl /);
  });

  test("[IN17] show broken handshakes with their address, count and reason before everything else", () => {
    const handshakes = [
      { address: "10.0.0.7", fault: "untrusted", count: 3, atMs: 1_800 },
      { address: "10.0.0.8", fault: "notValidNow", count: 1, atMs: 1_900 },
      { address: "10.0.0.9", fault: "abandoned", count: 2, atMs: 1_950 },
    ] as const;
    const shown = current({ ...fetched, handshakes })?.hints.slice(0, 3) ?? [];
    expect(shown.map(({ sentence }) => sentence)).toEqual([
      "3 TLS handshakes from 10.0.0.7 failed: the client does not trust the hub's certificate.",
      "A TLS handshake from 10.0.0.8 failed: the hub's certificate is not valid at the client's time; check the clock of that machine.",
      "2 TLS handshakes from 10.0.0.9 failed: the client closed the connection, as an agent does that does not trust the certificate or whose clock is wrong.",
    ]);
    expect(current({ ...nothing, handshakes })?.hints.map(({ sentence }) => sentence)).toEqual(
      expect.arrayContaining(shown.map(({ sentence }) => sentence)),
    );
  });

  test.each([
    ["registered", { stage: "register", sentence: "the join token has expired; ask for a new one" }],
    ["session", { stage: "session", sentence: "another cluster has this uid" }],
  ] as const)("stop at %s with the reason of the refusal", (name, refusal) => {
    const registration = name === "session" ? "registered" : "none";
    const facts: JoinFacts = { ...fetched, registration, refusal: { ...refusal, from: "10.0.0.7:5000", atMs: 1_900 } };
    expect(current(facts)).toMatchObject({ name, state: "stopped", atMs: 1_900 });
    expect(current(facts)?.sentence).toContain(`the agent at 10.0.0.7:5000: ${refusal.sentence}.`);
  });

  test("stop at the approval with the command that gives it", () => {
    expect(current({ ...fetched, registration: "pending" })).toMatchObject({
      name: "registered",
      state: "stopped",
      hints: [{ command: "flotilla cluster approve east" }],
    });
  });

  test("say what the agent may not read, and the question that shows it", () => {
    const facts: JoinFacts = {
      ...fetched,
      registration: "registered",
      hasSession: true,
      connection: { state: "catchingUp", sentence: "The agent is being compared." },
      forbiddenKinds: ["apps/deployments", "pods", "nodes", "secrets"],
    };
    expect(current(facts)).toMatchObject({ name: "live", sentence: "The agent is being compared." });
    const [hint] = current(facts)?.hints ?? [];
    expect(hint?.sentence).toContain("may not read apps/deployments, pods, nodes and 1 more");
    expect(hint?.command).toContain("can-i list deployments.apps --as system:serviceaccount:flotilla:flotilla-agent");
    const live = toJoinSteps({ ...facts, connection: { state: "live", sentence: "" } });
    expect(live.at(-1)?.sentence).toMatch(/^east is live, but its agent may not read/);
  });

  test("end with the code where the manifest was not fetched, and with the join token where nobody registered", () => {
    const expired = { ...nothing, nowMs: code.expiresAtMs };
    expect(current(expired)).toMatchObject({ name: "fetched", state: "stopped" });
    expect(isJoinOver(expired)).toBe(false);
    expect(isJoinOver({ ...fetched, nowMs: code.createdAtMs + codeTokenLifeMs })).toBe(true);
    expect(isJoinOver({ ...fetched, connection: { state: "live", sentence: "" } })).toBe(true);
  });
});
