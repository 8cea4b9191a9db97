// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { UnauthenticatedStreams } from "./unauthenticated-streams.ts";

test("[RP47] one address, by whichever ports, has 1,024 streams that have proven nothing, and keeps no other out", () => {
  const greetings = new UnauthenticatedStreams();
  const leave = Array.from({ length: 1_024 }, (_, port) => greetings.enter(`[::1]:${port}`));
  expect(leave.every((each) => each !== undefined)).toBe(true);
  expect(greetings.enter("[::1]:9999")).toBeUndefined();
  expect(greetings.enter("10.0.0.1:1")).toBeDefined();
  leave[0]?.();
  leave[0]?.();
  expect(greetings.enter("[::1]:9999")).toBeDefined();
  expect(greetings.enter("[::1]:9998")).toBeUndefined();
});

test("[RP47] all addresses together have 4,096", () => {
  const greetings = new UnauthenticatedStreams();
  for (let at = 0; at < 4_096; at += 1) expect(greetings.enter(`10.0.${at >> 8}.${at & 255}:1`)).toBeDefined();
  expect(greetings.enter("10.1.0.1:1")).toBeUndefined();
});
