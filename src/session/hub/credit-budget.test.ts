// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { CreditBudget } from "./credit-budget.ts";

const mib = 1024 * 1024;

test("[SE21] a used-up budget is no credit for anybody, until half of it is free", () => {
  const budget = new CreditBudget(10 * mib, mib);
  expect(budget.take(10 * mib - 1)).toBe(false);
  expect(budget.take(1)).toBe(true);
  expect(budget.shareBytes).toBe(0);
  expect(budget.take(mib)).toBe(false);
  expect(budget.give(5 * mib)).toBe(false);
  expect(budget.give(mib)).toBe(true);
  expect(budget.shareBytes).toBe(mib);
});

test("[SE21] many sessions share the budget, and are told only when their share halves or doubles", () => {
  const budget = new CreditBudget(64 * mib, 8 * mib);
  let toldCount = 0;
  for (let session = 0; session < 64; session += 1) if (budget.changeSessions(1)) toldCount += 1;
  expect(budget.shareBytes * 64).toBeLessThanOrEqual(64 * mib * 2);
  expect(toldCount).toBeLessThanOrEqual(4);
  for (let session = 0; session < 64; session += 1) budget.changeSessions(-1);
  expect(budget.shareBytes).toBe(8 * mib);
});

test("[SE21] a share is never too small to be of use", () => {
  const budget = new CreditBudget(mib, mib);
  for (let session = 0; session < 1_000; session += 1) budget.changeSessions(1);
  expect(budget.shareBytes).toBeGreaterThanOrEqual(64 * 1024);
});
