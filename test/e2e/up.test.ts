// SPDX-License-Identifier: Apache-2.0
// `flotilla up` as a process: what a script may rely on, and what it says when it cannot start.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openTempFolder } from "../support/temp-folder.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { BackgroundProgram, entry, flotilla } from "./fleet/background-program.ts";
import { type ProgramResult, promptEnvironment, runProgram } from "./run-program.ts";

function quietUp(port = 0): readonly string[] {
  return ["up", "--clusters", "0", "--port", String(port), "--http-port", "0", "--log-level", "error"];
}

/** Runs it until it says ready, or to its end where it cannot start. */
function up(cwd: string, ...flags: readonly string[]): Promise<ProgramResult> {
  const env = promptEnvironment();
  return runProgram(process.execPath, [entry, ...quietUp(), ...flags], { cwd, env, stopAfter: "ready" });
}

describe("flotilla up", () => {
  test("[PG4][CL17] to a pipe says ready and where in one line, how to get a login link in its last, no link and no token, and ends well on SIGTERM", async () => {
    using folder = openTempFolder();
    const { code, stdout, stderr } = await up(folder.path);
    const [ready, link, ...rest] = stdout.split("\n");
    expect(ready).toMatch(/^Flotilla is ready at https:\/\/127\.0\.0\.1:\d+ /);
    expect(link).toBe(`For a login link to the page run: flotilla login-link --data-dir ./.flotilla`);
    expect(stdout).not.toContain("#code=");
    expect(rest).toEqual([""]);
    const token = readFileSync(join(folder.path, ".flotilla", "admin-token"), "utf8").trim();
    expect(stdout).not.toContain(token.slice(-43));
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(existsSync(join(folder.path, ".flotilla", "run.json"))).toBe(false);
    expect(existsSync(join(folder.path, ".flotilla", "hub.db"))).toBe(true);
  });

  test("writes run.json with the fields that scripts rely on, and prints the same with -o json", async () => {
    using folder = openTempFolder();
    const program = new BackgroundProgram({ cwd: folder.path, args: [...quietUp(), "-o", "json"] });
    const printed = await program.untilSays("\n");
    const written = readFileSync(join(folder.path, ".flotilla", "run.json"), "utf8");
    expect(await program.end("SIGINT")).toBe(0);
    const record: unknown = JSON.parse(written);
    expect(JSON.parse(printed)).toEqual(record);
    const dataDir = join(folder.path, ".flotilla");
    expect(record).toEqual({
      pid: program.pid,
      hubUrl: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/) as unknown,
      httpUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown,
      caFile: join(dataDir, "tls", "ca.crt"),
      adminTokenFile: join(dataDir, "admin-token"),
      kubeconfig: join(dataDir, "kubeconfig"),
      clusters: [],
      adopted: [],
    });
  });
});

describe("flotilla up that cannot start", () => {
  test("[ST22] a file that is no database is named and left as it is", async () => {
    using folder = openTempFolder();
    const file = join(folder.path, "hub.db");
    writeFileSync(file, "dear diary, ".repeat(1000));
    expectRefusal(await up(folder.path, "--data-dir", "."), 7, /hub\.db is not a database; move it away/);
    expect(readFileSync(file, "utf8")).toBe("dear diary, ".repeat(1000));
  });

  test("[ST22] another program's database is refused untouched", async () => {
    using folder = openTempFolder();
    const file = join(folder.path, "hub.db");
    {
      using db = new DatabaseSync(file);
      db.exec("CREATE TABLE recipes (name TEXT)");
    }
    const before = readFileSync(file);
    expectRefusal(await up(folder.path, "--data-dir", "."), 7, /hub\.db is a database of another program/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("[CL16] a port in use is named with the flag that changes it, before anything is started or written", async () => {
    using folder = openTempFolder();
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    const refused = await flotilla(folder.path, quietUp(port));
    expectRefusal(refused, 5, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use.*--port`));
    expect(existsSync(join(folder.path, ".flotilla"))).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });

  test("an unreadable certificate is named with what is wrong with it", async () => {
    using folder = openTempFolder();
    writeFileSync(join(folder.path, "a.crt"), "not a certificate");
    writeFileSync(join(folder.path, "a.key"), "not a key");
    const flags = ["--tls-cert-file", "a.crt", "--tls-key-file", "a.key"];
    expectRefusal(await up(folder.path, ...flags), 2, /a\.crt does not contain a PEM certificate/);
    expectRefusal(await up(folder.path, "--tls-cert-file", "b.crt", "--tls-key-file", "a.key"), 2, /b\.crt/);
  });

  test("[U-76] a file with five mistakes lists all five with their places, before anything is opened", async () => {
    using folder = openTempFolder();
    const lines = ["port: seven", "http-port: 70000", "change-retention: soon", "log-level: loud", "prot: 1"];
    writeFileSync(join(folder.path, "flotilla.yaml"), `${lines.join("\n")}\n`);
    const { code, stdout, stderr } = await flotilla(folder.path, ["up", "--config", "flotilla.yaml"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    for (const name of ["port", "http-port", "change-retention", "log-level", "prot"]) expect(stderr).toContain(name);
    for (let line = 1; line <= 5; line += 1) expect(stderr).toMatch(new RegExp(`flotilla\\.yaml:${line}:`));
    expect(existsSync(join(folder.path, ".flotilla"))).toBe(false);
  });

  test("a data directory that is a file is named", async () => {
    using folder = openTempFolder();
    writeFileSync(join(folder.path, "data"), "");
    expectRefusal(
      await up(folder.path, "--data-dir", "data"),
      5,
      /data directory .*data cannot be created; name another with --data-dir/,
    );
  });

  test("[ST27] a key file that others can read is refused", async () => {
    using folder = openTempFolder();
    mkdirSync(join(folder.path, "data"));
    writeFileSync(join(folder.path, "data", "keys"), "key_0 AAAA\n", { mode: 0o644 });
    expectRefusal(
      await up(folder.path, "--data-dir", "data"),
      7,
      /keys can be read by other users \(mode 644\); set it to 600/,
    );
  });
});
