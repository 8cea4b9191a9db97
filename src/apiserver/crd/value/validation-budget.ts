// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../../json/json.ts";
import type { ValidationResult } from "./validation-result.ts";

/**
 * Maximum steps of validating one object. A step is about ten nanoseconds, so that the total is about a second. The
 * largest object of a request takes a tenth of it with an ordinary schema. Crafted schemas and objects whose work
 * multiplies exceed it.
 */
export const maxStepCount = 100_000_000;

/** The remaining work of one validation. */
export class ValidationBudget {
  #left: number;
  #isExceeded = false;

  constructor(stepCount = maxStepCount) {
    this.#left = stepCount;
  }

  /** Whether a check was skipped because the budget was exceeded. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Subtracts the steps. Returns false, and the caller must skip its work, if too few steps are left. */
  spend(stepCount: number): boolean {
    if (stepCount > this.#left) {
      this.#isExceeded = true;
      return false;
    }
    this.#left -= stepCount;
    return true;
  }
}

/** Checks a value at a location such as `spec.size`; empty for the root value. */
export type ValueCheck = (value: Json, at: string, budget: ValidationBudget) => ValidationResult;
