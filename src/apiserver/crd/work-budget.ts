// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../json/json.ts";
import type { ValidationResult } from "./validation-result.ts";

/**
 * Steps that validating one object may take, a step being some ten nanoseconds: about a second in all. The largest object that fits into a request takes a tenth
 * of it with an ordinary schema; a schema and an object that are made to multiply run into it.
 */
export const maxStepCount = 100_000_000;

/** What is left of the work that one validation may do. */
export class WorkBudget {
  #left: number;
  #isExceeded = false;

  constructor(stepCount = maxStepCount) {
    this.#left = stepCount;
  }

  /** True once something was left unchecked. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Takes the steps off; false, and nothing may be done, when there are not as many. */
  spend(stepCount: number): boolean {
    if (stepCount > this.#left) {
      this.#isExceeded = true;
      return false;
    }
    this.#left -= stepCount;
    return true;
  }
}

/** Checks a value found at a place: `spec.size`, empty for the value that validation began with. */
export type ValueCheck = (value: Json, at: string, budget: WorkBudget) => ValidationResult;
