// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { smallMallocVariables } from "../../agent/small-process.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { findSmallRestart, type StartedProcess, watchLoad } from "./reduce-memory.ts";

const byHand: StartedProcess = {
  platform: "linux",
  execPath: "/usr/bin/node",
  execArgv: ["--no-warnings"],
  argv: ["/usr/bin/node", "/opt/flotilla.js", "agent", "--cluster-id", "a b"],
  env: { PATH: "/bin", UNSET: undefined },
};

describe("an agent that is run by hand", () => {
  test("is started anew with the same words and the variables that count at the start only", () => {
    expect(findSmallRestart(byHand)).toEqual({
      file: "/usr/bin/node",
      args: ["/usr/bin/node", "--no-warnings", "/opt/flotilla.js", "agent", "--cluster-id", "a b"],
      env: { PATH: "/bin", ...smallMallocVariables },
    });
  });

  test("is not started anew a second time", () => {
    const { env = {}, args = [] } = findSmallRestart(byHand) ?? {};
    expect(findSmallRestart({ ...byHand, env, argv: ["/usr/bin/node", ...args.slice(2)] })).toBeUndefined();
  });

  test("keeps what the operator has set", () => {
    for (const name of Object.keys(smallMallocVariables))
      expect(findSmallRestart({ ...byHand, env: { [name]: "4" } })).toBeUndefined();
  });
});

test("nothing is started anew that is no agent, has a channel to its parent, or is elsewhere than on Linux", () => {
  const verbs = [["hub"], ["agent", "manifest"], ["cluster", "agent"], []];
  for (const words of verbs)
    expect(findSmallRestart({ ...byHand, argv: ["/usr/bin/node", "/opt/flotilla.js", ...words] })).toBeUndefined();
  expect(findSmallRestart({ ...byHand, channel: {} })).toBeUndefined();
  expect(findSmallRestart({ ...byHand, platform: "darwin" })).toBeUndefined();
});

test("[U-65] an agent is at rest after 3 s with less than a twentieth of a core, and busy from a quarter of it", async () => {
  const clock = new ManualClock();
  let [cpuMs, isBusy] = [0, true];
  watchLoad(
    clock,
    () => cpuMs,
    (busy) => {
      isBusy = busy;
    },
  );
  for (const [usedMs, expected] of [
    [3_000, true],
    [150, true],
    [149, false],
    [749, false],
    [750, true],
    [0, false],
  ] as const) {
    cpuMs += usedMs;
    await clock.advance(3_000);
    expect(isBusy).toBe(expected);
  }
});
