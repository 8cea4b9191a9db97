// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import { type ErrorCode } from "../../base/error-codes.ts";

/** The code of the FlotillaError that `run` throws, or undefined if it returns. Other errors are rethrown. */
export function thrownCode(run: () => unknown): ErrorCode | undefined {
  try {
    run();
    return undefined;
  } catch (reason) {
    if (reason instanceof FlotillaError) return reason.code;
    throw reason;
  }
}
