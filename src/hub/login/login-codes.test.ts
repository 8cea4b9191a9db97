// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { codeLifeMs, LoginCodes } from "./login-codes.ts";

const grant = { user: "ann", groups: ["dev"], parentId: "tok_1" };
let clock: ManualClock;
let codes: LoginCodes;

beforeEach(() => {
  clock = new ManualClock();
  codes = new LoginCodes({ clock, random: createSeededRandom("codes") });
});

test("[PG4] a code is good once", () => {
  const code = codes.create(grant);
  expect(codes.take(code)).toEqual(grant);
  expect(codes.take(code)).toBeUndefined();
});

test("[PG4] a code is good for 5 minutes and not a moment longer", async () => {
  const [used, late] = [codes.create(grant), codes.create(grant)];
  await clock.advance(codeLifeMs - 1);
  expect(codes.take(used)).toEqual(grant);
  await clock.advance(1);
  expect(codes.take(late)).toBeUndefined();
  expect(codeLifeMs).toBe(5 * 60_000);
});

test("[PG4] a code holds 256 bits of chance, no two are alike, and a part of one is unknown", () => {
  const made = Array.from({ length: 50 }, () => codes.create(grant));
  expect(new Set(made).size).toBe(50);
  for (const code of made) expect(code).toMatch(/^flt_login_[A-Za-z0-9_-]{43}$/);
  const [code = ""] = made;
  for (const other of ["", "flt_login_", code.slice(0, -1), `${code}a`, code.toUpperCase()]) {
    expect(codes.take(other)).toBeUndefined();
  }
  expect(codes.take(code)).toEqual(grant);
});

test("of more than a thousand that wait the oldest goes", () => {
  const made = Array.from({ length: 1_001 }, () => codes.create(grant));
  expect(codes.take(made[0] ?? "")).toBeUndefined();
  expect(codes.take(made[1] ?? "")).toEqual(grant);
  expect(codes.take(made[1_000] ?? "")).toEqual(grant);
});
