// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "../base/assert.ts";
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { openLogSink } from "./log-sink.ts";
import { createPinoLogger, type LogLevel } from "./pino-logger.ts";

type Line = Readonly<Record<string, unknown>>;

function parseLine(text: string): Line {
  const line: unknown = JSON.parse(text);
  if (typeof line !== "object" || line === null) throw new TypeError("a line is not an object");
  return { ...line };
}

function record(level: LogLevel = "info"): { log: Logger; lines: () => Line[] } {
  const written: string[] = [];
  const sink = { write: (line: string) => void written.push(line) };
  const log = createPinoLogger({ level, sink, clock: new ManualClock(), fields: { component: "hub" } });
  return { log, lines: () => written.map(parseLine) };
}

test("a line is one JSON object with time, level, message and its fields", () => {
  const { log, lines } = record();
  log.with({ cluster: "east" }).info("snapshot applied", { objectCount: 3, isFirst: true, absent: undefined });
  expect(lines()).toEqual([
    {
      time: "2026-01-01T00:00:00.000Z",
      level: "info",
      component: "hub",
      cluster: "east",
      objectCount: 3,
      isFirst: true,
      msg: "snapshot applied",
    },
  ]);
});

test("a field given twice is written once, the nearer one, and none can pass for the line's own keys", () => {
  const written: string[] = [];
  const sink = { write: (line: string) => void written.push(line) };
  const log = createPinoLogger({ level: "info", sink, clock: new ManualClock() });
  log.with({ cluster: "far" }).info("x", { cluster: "near", level: "debug", msg: "forged", time: "never" });
  expect(written.join("").match(/"cluster"/g)).toHaveLength(1);
  expect(JSON.parse(written.join(""))).toMatchObject({
    cluster: "near",
    level: "info",
    level_: "debug",
    msg: "x",
    msg_: "forged",
    time_: "never",
  });
});

test("text with newlines cannot start a line of its own", () => {
  const written: string[] = [];
  const sink = { write: (line: string) => void written.push(line) };
  createPinoLogger({ level: "info", sink, clock: new ManualClock() }).info("x", { user: 'a\n{"level":"error"}' });
  expect(written.join("").trimEnd().split("\n")).toHaveLength(1);
});

test.each<[LogLevel, string[]]>([
  ["debug", ["debug", "info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["silent", []],
])("at level %s it writes %j", (level, expected) => {
  const { log, lines } = record(level);
  log.debug("d");
  log.info("i");
  log.warn("w");
  log.error("e");
  expect(lines().map((line) => line["level"])).toEqual(expected);
});

describe("errors", () => {
  test("a failure is logged with code, next move, ids and the chain of causes, without a stack", () => {
    const { log, lines } = record();
    const refused = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    const error = new FlotillaError("UNAVAILABLE", "the hub does not answer", {
      cause: refused,
      ids: { cluster: "east", attempt: 3, sessionToken: "s3cr3t" },
    });
    log.warn("session ended", {}, error);
    expect(lines()[0]?.["error"]).toEqual({
      name: "FlotillaError",
      message: "the hub does not answer",
      code: "UNAVAILABLE",
      next: "retry",
      ids: { cluster: "east", attempt: 3, sessionToken: "***" },
      cause: { name: "Error", message: "connect refused", code: "ECONNREFUSED" },
    });
  });

  test("a bug is logged with its stack", () => {
    const { log, lines } = record();
    log.error("crashed", {}, new BugError("impossible"));
    expect(lines()[0]?.["error"]).toHaveProperty("stack", expect.stringContaining("pino-logger.test.ts"));
  });

  test("a chain of causes that leads back to itself ends, and a long one is cut", () => {
    const { log, lines } = record();
    const loop = new Error("loop");
    loop.cause = new Error("inner", { cause: loop });
    log.error("a", {}, loop);
    let long = new Error("bottom");
    for (let depth = 0; depth < 1_000; depth += 1) long = new Error("link", { cause: long });
    log.error("b", {}, long);
    expect(JSON.stringify(lines()[0])).toContain("inner");
    expect(JSON.stringify(lines()[1]).match(/"link"/g)?.length).toBe(8);
  });

  test("a thrown object shows nothing of what it holds", () => {
    const { log, lines } = record();
    log.error("a", {}, { password: "hunter2" });
    expect(JSON.stringify(lines())).not.toContain("hunter2");
  });
});

describe("sink", () => {
  async function prettyLine(isTerminal: boolean, format: "auto" | "json" | "pretty"): Promise<string> {
    const written: string[] = [];
    const stream = { write: (line: string) => void written.push(line) };
    const sink = await openLogSink({ format, stream, isTerminal });
    createPinoLogger({ level: "info", sink, clock: new ManualClock() }).warn(
      "refused",
      { user: "ann" },
      new FlotillaError("UNAUTHENTICATED", "token flt_abcdef is unknown"),
    );
    return written.join("");
  }

  test("auto is JSON where nobody looks", async () => {
    expect(JSON.parse(await prettyLine(false, "auto"))).toMatchObject({ user: "ann" });
  });

  test("[L18] on a terminal lines are for people, and the token is masked there too", async () => {
    const line = await prettyLine(true, "auto");
    expect(line).toContain("refused");
    expect(line).toContain("ann");
    expect(line).not.toContain("abcdef");
    expect(() => parseLine(line)).toThrow(SyntaxError);
  });

  test("pretty without a terminal has no colours", async () => {
    expect(await prettyLine(false, "pretty")).not.toContain("\u001b[");
  });
});
