// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { cellCount, cellMs, restartDoubtMs, Strip, type StripRecord } from "./strip.ts";

const letters = ".nlcsdr";

/** One letter a cell: `.` not known, n never seen, l live, c catching up, s stale, d disconnected, r rejected. */
function drawn(strip: Strip, nowMs: number): string {
  return Array.from(strip.toBytes(nowMs), (code) => letters[code]).join("");
}

const day = 1_000 * cellCount * cellMs;
const at = (cell: number, part = 0): number => day + (cell + part) * cellMs;
const record = (atMs: number, from: string, to: string): StripRecord => ({ atMs, from, to });

/** A moment of each of these half hours. */
function moments(from: number, until: number): readonly number[] {
  return Array.from({ length: until - from + 1 }, (_, index) => at(from + index));
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

  test("is the same array as long as nothing changed, and another once a half hour is worse or over", () => {
    const strip = new Strip("live", at(0));
    const first = strip.toBytes(at(3));
    expect(strip.toBytes(at(3, 0.5))).toBe(first);
    strip.note(record(at(3, 0.6), "live", "stale"));
    expect(drawn(strip, at(3, 0.7)).slice(-2)).toBe("ls");
    expect(drawn(strip, at(4)).slice(-2)).toBe("ss");
    expect(Array.from(first).slice(-2)).toEqual([2, 2]);
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
    strip.addPast({ ...past, records, watched: { momentsMs: moments(0, 40), beganMs: [] } });
    expect(drawn(strip, at(44)).slice(3)).toBe(`nnl${"l".repeat(27)}ss${"l".repeat(8)}ddlll`);
  });

  test("[PG23] half hours in which no hub ran are not known, whatever the state before and after", () => {
    const strip = new Strip("disconnected", at(40, 0.5));
    const momentsMs = [...moments(0, 10), ...moments(40, 40)];
    strip.addPast({ ...past, records: [record(at(1), "neverSeen", "live")], watched: { momentsMs, beganMs: [] } });
    expect(drawn(strip, at(41)).slice(6)).toBe(`n${"l".repeat(10)}${".".repeat(29)}dd`);
  });

  test("what came before the last day tells the state that it began with", () => {
    const strip = new Strip("disconnected", at(100));
    strip.addPast({
      records: [record(at(1), "neverSeen", "stale")],
      watched: { momentsMs: moments(0, 100), beganMs: [] },
      registeredMs: at(0),
      untilMs: at(100),
    });
    expect(drawn(strip, at(100, 0.5))).toBe(`${"s".repeat(47)}d`);
  });

  test("nothing stored is nothing known, and a state of another release too", () => {
    const strip = new Strip("asleep", at(40));
    strip.addPast({ ...past, records: [], watched: { momentsMs: moments(0, 40), beganMs: [] } });
    expect(drawn(strip, at(41))).toBe(".".repeat(48));
  });
});

describe("a hub that began anew", () => {
  const soon = restartDoubtMs - 1;

  test("[PG23] does not colour the half hour of a cluster whose agent comes back soon", () => {
    const strip = new Strip("disconnected", at(40));
    expect(drawn(strip, at(40) + soon).slice(-2)).toBe("..");
    strip.note(record(at(40) + soon, "disconnected", "live"));
    expect(drawn(strip, at(41)).slice(-3)).toBe(".ll");
  });

  test("[PG23] says of a cluster whose agent does not come that it was away from the beginning", () => {
    const strip = new Strip("disconnected", at(41) - 1_000);
    expect(drawn(strip, at(41) - 1_000 + restartDoubtMs).slice(-3)).toBe(".dd");
    strip.note(record(at(42), "disconnected", "live"));
    expect(drawn(strip, at(43)).slice(-5)).toBe(".dddl");
  });

  test.each([
    ["soon", soon, "llcll"],
    ["late", restartDoubtMs, "lldll"],
  ])("[PG23] tells the same of it in the runs that follow: an agent that came %s", (_word, afterMs, expected) => {
    const strip = new Strip("disconnected", at(40));
    const beganMs = [at(0), at(37, 0.2)];
    const records = [
      record(at(1), "neverSeen", "live"),
      record(at(37, 0.2) + afterMs, "disconnected", "catchingUp"),
      record(at(37, 0.2) + afterMs + 1, "catchingUp", "live"),
    ];
    strip.addPast({ records, watched: { momentsMs: moments(0, 40), beganMs }, registeredMs: at(0), untilMs: at(40) });
    strip.note(record(at(40) + 1, "disconnected", "live"));
    expect(drawn(strip, at(39, 0.9) + cellMs).slice(-6, -1)).toBe(expected);
  });

  test("[PG23] holds nothing of what was shown before it, where the agent never came back", () => {
    const strip = new Strip("disconnected", at(40));
    const watchedTime = { momentsMs: moments(0, 40), beganMs: [at(0), at(30)] };
    const records = [record(at(1), "neverSeen", "live")];
    strip.addPast({ records, watched: watchedTime, registeredMs: at(0), untilMs: at(40) });
    expect(drawn(strip, at(40, 0.5)).slice(-13)).toBe(`ll${"d".repeat(11)}`);
  });

  test("[PG23] what a run before showed says nothing of a half hour in which only this one looked", () => {
    const strip = new Strip("disconnected", at(30));
    const records = [record(at(1), "neverSeen", "live"), record(at(10, 0.2), "live", "disconnected")];
    const watchedTime = { momentsMs: [...moments(0, 10), at(30)], beganMs: [at(0), at(30)] };
    strip.addPast({ records, watched: watchedTime, registeredMs: at(0), untilMs: at(30) });
    strip.note(record(at(30) + 1, "disconnected", "live"));
    expect(drawn(strip, at(30, 0.5)).slice(-22)).toBe(`ld${".".repeat(19)}l`);
  });

  test("a cluster that was never seen is still that", () => {
    const strip = new Strip("neverSeen", at(40));
    const watchedTime = { momentsMs: moments(30, 40), beganMs: [at(30), at(35)] };
    strip.addPast({ records: [], watched: watchedTime, registeredMs: at(30), untilMs: at(40) });
    expect(drawn(strip, at(40)).slice(-2)).toBe(".n");
  });
});
