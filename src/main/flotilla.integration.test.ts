// SPDX-License-Identifier: Apache-2.0
// The entry as a process of its own: exit codes, streams, signals. Everything else is tested without one.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const entry = fileURLToPath(new URL("flotilla.ts", import.meta.url));

async function run(argv: readonly string[], stdout: "pipe" | number = "pipe") {
  const child = spawn(process.execPath, [entry, ...argv], { stdio: ["ignore", stdout, "pipe"], env: {} });
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const read = (stream: typeof child.stdout) => (stream === null ? Promise.resolve("") : text(stream));
  const [out, err] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { exitCode: await exited, out, err };
}

test("a verb prints to standard output and exits with 0", async () => {
  const { exitCode, out, err } = await run(["version", "-o", "json"]);
  expect([exitCode, err]).toEqual([0, ""]);
  expect(JSON.parse(out)).toHaveProperty("client.version", expect.stringMatching(/^\d+\.\d+\.\d+/));
});

test("[U-76] a wrong flag exits with 2, nothing on standard output", async () => {
  expect(await run(["config", "--prot", "1"])).toEqual({
    exitCode: 2,
    out: "",
    err: 'flotilla: command line: unknown flag "--prot"; did you mean --port?\n',
  });
});

test.skipIf(process.platform !== "linux")(
  "output that cannot be written is a failure, not a silent success",
  async () => {
    const full = openSync("/dev/full", "w");
    const { exitCode, err } = await run(["help"], full);
    closeSync(full);
    expect(exitCode).toBe(1);
    expect(err).toContain("the output could not be written (ENOSPC)");
  },
);
