// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { cellCount, cellMs, cellOf, Strip, type StripRecord } from "./strip.ts";

const letters = ".nlcsdr";

/** One letter a cell: `.` not known, n never seen, l live, c catching up, s stale, d disconnected, r rejected. */
function drawn(strip: Strip, nowMs: number): string {
  return Array.from(strip.toBytes(nowMs), (code) => letters[code]).join("");
}

const day = 1_000 * cellCount * cellMs;
const at = (cell: number, part = 0): number => day + (cell + part) * cellMs;
const record = (atMs: number, from: string, to: string): StripRecord => ({ atMs, from, to });

function watched(from: number, until: number): ReadonlySet<number> {
  return new Set(Array.from({ length: until - from + 1 }, (_, index) => cellOf(at(from)) + index));
}

describe("a strip of this run", () => {
  test("has 48 cells, and those before the cluster was looked at are not known", () => {
    const strip = new Strip("live", at(0));
    expect(drawn(strip, at(2, 0.5))).toBe(`${".".repeat(45)}lll`);
  });

  test("[PG23] shows the worst state of each half hour", () => {
    const strip = new Strip("live", at(0));
    strip.note(record(at(1, 0.2), "live", "stale"));
    strip.note(record(at(1, 0.3), "stale", "disconnected"));
    strip.note(record(at(1, 0.6), "disconnected", "catchingUp"));
    strip.note(record(at(1, 0.7), "catchingUp", "live"));
    expect(drawn(strip, at(3)).slice(-4)).toBe("ldll");
  });

  test("goes on as half hours pass without anything happening, and forgets what is older than a day", () => {
    const strip = new Strip("neverSeen", at(0));
    strip.note(record(at(0, 0.5), "neverSeen", "disconnected"));
    expect(drawn(strip, at(47))).toBe("d".repeat(48));
    strip.note(record(at(47, 0.5), "disconnected", "live"));
    expect(drawn(strip, at(200))).toBe("l".repeat(48));
  });

  test("a wall clock that is put back changes nothing of what was", () => {
    const strip = new Strip("live", at(10));
    strip.note(record(at(5), "live", "disconnected"));
    expect(drawn(strip, at(11)).slice(-3)).toBe(".dd");
  });
});

describe("what earlier runs stored", () => {
  const past = { registeredMs: at(0), untilMs: at(40, 0.5) };

  test("is taken in whenever it is read, and never makes a cell better", () => {
    const strip = new Strip("disconnected", at(40, 0.5));
    strip.note(record(at(41), "disconnected", "live"));
    const records = [
      record(at(2), "neverSeen", "live"),
      record(at(30), "live", "stale"),
      record(at(31), "stale", "live"),
    ];
    strip.addPast({ ...past, records, watchedCells: watched(0, 40) });
    expect(drawn(strip, at(44)).slice(3)).toBe(`nnl${"l".repeat(27)}ss${"l".repeat(8)}ddlll`);
  });

  test("[PG23] half hours in which no hub ran are not known, whatever the state before and after", () => {
    const strip = new Strip("disconnected", at(40, 0.5));
    const watchedCells = new Set([...watched(0, 10), ...watched(40, 40)]);
    strip.addPast({ ...past, records: [record(at(1), "neverSeen", "live")], watchedCells });
    expect(drawn(strip, at(41)).slice(6)).toBe(`n${"l".repeat(10)}${".".repeat(29)}dd`);
  });

  test("what came before the last day tells the state that it began with", () => {
    const strip = new Strip("disconnected", at(100));
    const watchedCells = watched(0, 100);
    strip.addPast({
      records: [record(at(1), "neverSeen", "stale")],
      watchedCells,
      registeredMs: at(0),
      untilMs: at(100),
    });
    expect(drawn(strip, at(100))).toBe(`${"s".repeat(47)}d`);
  });

  test("nothing stored is nothing known, and a state of another release too", () => {
    const strip = new Strip("asleep", at(40));
    strip.addPast({ ...past, records: [], watchedCells: watched(0, 40) });
    expect(drawn(strip, at(41))).toBe(".".repeat(48));
  });
});
