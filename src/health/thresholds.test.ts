// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { feed, live, timePassed } from "./testing/health-kit.ts";
import { createThresholds, thresholdTable } from "./thresholds.ts";

describe("thresholds", () => {
  test("[HE8] each has a default and says what it judges, and each can be set", () => {
    for (const [name, { byDefault, judges }] of Object.entries(thresholdTable)) {
      expect(judges, name).not.toBe("");
      expect(createThresholds()).toHaveProperty(name, byDefault);
      expect(createThresholds({ [name]: byDefault + 0.25 })).toHaveProperty(name, byDefault + 0.25);
    }
    const patient = { ...live(), thresholds: createThresholds({ heartbeatIntervalCount: 3 }) };
    expect(feed(patient, [timePassed], 14_999).state.shown.state).toBe("live");
    expect(feed(patient, [timePassed], 15_000).state.shown.state).toBe("stale");
  });

  test("[R-7, L11] the probe runs every 10 s, and a deadline that is not below the interval is refused", () => {
    expect(createThresholds()).toMatchObject({ probeIntervalMs: 10_000, probeTimeoutMs: 5_000 });
    expect(() => createThresholds({ probeTimeoutMs: 10_000 })).toThrow("probeTimeoutMs (10000) must be below");
    expect(() => createThresholds({ probeTimeoutMs: 9_999 })).not.toThrow();
  });

  test("[HE8] all that cannot work is named in one sentence", () => {
    expect(() => createThresholds({ staleAfterMs: 0, grantsBehindMs: Number.NaN })).toThrow(
      /staleAfterMs must be 1 or more, not 0; grantsBehindMs must be 1 or more, not NaN/,
    );
  });
});
