// SPDX-License-Identifier: Apache-2.0

/** What Node says when somebody writes to an HTTP/2 stream whose peer has left, in the moment before its close is told. */
const leftCode = "ERR_HTTP2_INVALID_STREAM";

/** Causes that are looked at: Connect and our own errors wrap what Node said once or twice. */
const maxDepth = 4;

/** True for a failure that only says that the peer of a stream is no longer there, in itself or as its cause. */
export function saysPeerGone(reason: unknown): boolean {
  let each = reason;
  for (let depth = 0; depth < maxDepth && each instanceof Error; depth += 1) {
    if ("code" in each && each.code === leftCode) return true;
    each = each.cause;
  }
  return false;
}
