// SPDX-License-Identifier: Apache-2.0

/**
 * Node's error code for a write to an HTTP/2 stream whose peer has left but whose `close` event was not emitted yet.
 */
const leftCode = "ERR_HTTP2_INVALID_STREAM";

/** Depth of causes that are checked. Connect and our own errors wrap Node's error once or twice. */
const maxDepth = 4;

/** True if the error, or one of its causes, means only that the peer of a stream has left. */
export function isPeerDisconnectedError(reason: unknown): boolean {
  let each = reason;
  for (let depth = 0; depth < maxDepth && each instanceof Error; depth += 1) {
    if ("code" in each && each.code === leftCode) return true;
    each = each.cause;
  }
  return false;
}
