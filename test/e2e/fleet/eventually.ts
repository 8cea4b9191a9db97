// SPDX-License-Identifier: Apache-2.0
import { vi } from "vitest";

/** How long a fleet may take to come to rest after whatever was done to it; the machine may be busy. */
const restLimitMs = 50_000;

/**
 * Looks again and again until the check passes; fails with its last complaint when the fleet has had time enough. Also
 * in hooks.
 */
export function eventually(check: () => void | Promise<void>, limitMs = restLimitMs): Promise<void> {
  return vi.waitFor(check, { timeout: limitMs, interval: 200 });
}
