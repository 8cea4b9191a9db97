// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { recordIo } from "../../cli/testing/recorded-io.ts";
import { ConfigProblemsError } from "../config/config-problem.ts";
import { fakeFiles } from "../config/testing/config-input.ts";
import { configVerb } from "./config-verb.ts";

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { io, stdout } = recordIo(env);
  await configVerb.run(argv, {
    io,
    signal: new AbortController().signal,
    readFile: fakeFiles({ "f.yaml": "http-port: 3\n", "/t": "s3cr3t" }),
    openTransport: () => Promise.reject(new Error("config calls no hub")),
    version: { version: "", runtime: "" },
  });
  return stdout();
}

test("[U-74] each value is shown with the source that won", async () => {
  const argv = ["hub", "--config", "f.yaml", "--port", "1", "-o", "json"];
  const shown: unknown = JSON.parse(await run(argv, { FLOTILLA_ADMIN_PORT: "2", FLOTILLA_PORT: "9" }));
  expect(shown).toMatchObject({ verb: "hub" });
  for (const setting of [
    { name: "port", value: 1, source: "flag", place: "--port" },
    { name: "admin-port", value: 2, source: "variable", place: "FLOTILLA_ADMIN_PORT" },
    { name: "http-port", value: 3, source: "file", place: "f.yaml:1:12" },
    { name: "change-retention", value: "24h", source: "default", place: "default" },
  ]) {
    expect(shown).toHaveProperty("settings", expect.arrayContaining([setting]));
  }
});

test("a verb with formats of its own shows the one that it would print", async () => {
  const shown: unknown = JSON.parse(await run(["query", "-o", "json"]));
  const setting = { name: "output", value: "json", source: "flag", place: "--output" };
  expect(shown).toHaveProperty("settings", expect.arrayContaining([setting]));
  expect(await run(["query"], { FLOTILLA_OUTPUT: "csv" })).toMatch(/output +csv/);
});

describe("[L18] a secret", () => {
  test.each([
    ["its reference", ["--token", "file:/t"], {}, "file:/t"],
    ["a mask", [], { FLOTILLA_TOKEN: "s3cr3t" }, "***"],
  ])("is shown as %s", async (_how, flags, env, shown) => {
    const text = await run(["token", "list", ...flags], env);
    expect(text).not.toContain("s3cr3t");
    expect(text).toMatch(new RegExp(`^token +${shown.replaceAll("*", "\\*")} `, "m"));
  });
});

test("without a verb it shows what up would run with, and arguments of single calls are no part of it", async () => {
  expect(await run([])).toMatch(/^port +7443 +default/m);
  expect(await run(["token", "create"])).not.toMatch(/^(user|ttl) /m);
});

test("[U-76] it finds the same mistakes as the verb itself would", async () => {
  await expect(run(["hub", "--port", "x"])).rejects.toBeInstanceOf(ConfigProblemsError);
  await expect(run(["hbu"])).rejects.toThrow('"hbu" is an unexpected argument');
});
