// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { answerLimitMs, stepSession } from "./agent-session.ts";
import { firstPace } from "./flush-pace.ts";
import type { HubMessage } from "./parse-response.ts";
import type { AgentSession } from "./session-state.ts";
import { facts, nowMs, options } from "./testing/sample-session.ts";

const proving: AgentSession = {
  kind: "proving",
  pace: firstPace(options, 0),
  deadlineMs: nowMs + answerLimitMs,
  isSent: true,
};

test("[SE12] a held agent keeps its stream, comes back at once when the hub closes it, and waits the time told when it breaks", () => {
  const message: HubMessage = {
    kind: "rejected",
    reason: "WRONG_CLUSTER",
    retryAfterMs: 15_000,
    detail: "",
    isHeld: true,
  };
  const held = stepSession(proving, { kind: "message", message }, facts, options).session;
  expect(held).toMatchObject({ kind: "held", deadlineMs: nowMs + 15_000 + answerLimitMs });
  const error = new FlotillaError("UNAVAILABLE", "the network is gone");
  const closed = stepSession(held, { kind: "streamEnded", error, isInOrder: true }, facts, options);
  expect(closed.session).toMatchObject({ ending: { reason: "WRONG_CLUSTER", retryAfterMs: 250 } });
  const broken = stepSession(held, { kind: "streamEnded", error }, facts, options);
  expect(broken.session).toMatchObject({ ending: { reason: "WRONG_CLUSTER", retryAfterMs: 15_000 } });
});
