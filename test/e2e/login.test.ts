// SPDX-License-Identifier: Apache-2.0
// A user who logs in to a hub and calls it from a folder where nothing of it is.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { flotilla } from "./fleet/background-program.ts";
import type { ProgramResult } from "./run-program.ts";

describe("logging in", () => {
  const data = openTempFolder();
  const home = openTempFolder();
  let hub: RunningHub;

  beforeAll(async () => {
    hub = await startHub(data.path);
  });

  afterAll(async () => {
    await hub.stop();
    home[Symbol.dispose]();
    data[Symbol.dispose]();
  });

  const run = (...args: readonly string[]): Promise<ProgramResult> =>
    flotilla(home.path, args, { HOME: home.path, FLOTILLA_TOKEN: "" });
  const logIn = (token: string, ...args: readonly string[]): Promise<ProgramResult> =>
    flotilla(home.path, ["login", hub.record.hubUrl, ...args], { HOME: home.path, FLOTILLA_TOKEN: token });

  test("[IN22] [IN23] the fingerprint is shown first; pinned, the hub is called from anywhere until the logout", async () => {
    const shown = await logIn(hub.adminToken);
    expectRefusal(shown, 2, /this machine does not trust the certificate of https:\/\/127\.0\.0\.1:\d+/);
    const pin = /--pin (sha256:[0-9a-f]{64})$/m.exec(shown.stderr)?.[1] ?? "";
    const wrong = `sha256:${"0".repeat(64)}`;
    expectRefusal(await logIn(hub.adminToken, "--pin", wrong), 2, /does not present the certificate of --pin/);
    expectRefusal(await logIn("flt_wrong", "--pin", pin), 4, /token/);
    expect(await logIn(hub.adminToken, "--pin", pin, "--name", "mine")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^logged in to https:\/\/127\.0\.0\.1:\d+ as \S+; context mine is in use\n$/),
    });
    const file = join(home.path, ".flotilla", "config");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run("cluster", "list", "-o", "json")).toMatchObject({ code: 0, stderr: "" });
    const listed = await run("context", "list");
    expect(listed.stdout).toMatch(/\*\s+mine\s+https:\/\/127\.0\.0\.1:\d+\s+\S+\s+pinned/);
    expect(listed.stdout).not.toContain(hub.adminToken);
    expect((await run("logout")).stdout).toBe("logged out of mine\n");
    expect(readFileSync(file, "utf8")).not.toContain(hub.adminToken);
    expectRefusal(await run("cluster", "list"), 4, /you are logged out of mine; log in with `flotilla login https/);
  });

  test("[IN22] several hubs are kept by name, used and removed; --ca-file is as good as a pin", async () => {
    const ca = ["--ca-file", hub.record.caFile];
    expect(await logIn(hub.adminToken, ...ca, "--name", "a")).toMatchObject({ code: 0 });
    expect(await logIn(hub.adminToken, ...ca, "--name", "b")).toMatchObject({ code: 0 });
    expect((await run("context", "use", "a")).stdout).toBe("context a is in use\n");
    expect(await run("token", "list", "-o", "json")).toMatchObject({ code: 0 });
    expect((await run("context", "remove", "a")).code).toBe(0);
    expectRefusal(await run("context", "use", "a"), 3, /there is no context "a"/);
    expectRefusal(await run("cluster", "list"), 5, /log in to one with `flotilla login`/);
  });
});
