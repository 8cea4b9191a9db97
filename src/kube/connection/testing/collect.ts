// SPDX-License-Identifier: Apache-2.0

/** Reads a body in the background. `ended` settles as the reading does; nobody need look at it. */
export function silentlyCollect(body: AsyncIterable<Uint8Array>): {
  readonly parts: readonly Uint8Array[];
  readonly ended: Promise<void>;
} {
  const parts: Uint8Array[] = [];
  const ended = (async () => {
    for await (const part of body) parts.push(part);
  })();
  ended.catch(() => undefined); // whoever looks at it is told as well
  return { parts, ended };
}
