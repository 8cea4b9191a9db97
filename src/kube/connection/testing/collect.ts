// SPDX-License-Identifier: Apache-2.0

/** Reads a body in the background. `ended` settles with the reading; awaiting it is optional. */
export function silentlyCollect(body: AsyncIterable<Uint8Array>): {
  readonly parts: readonly Uint8Array[];
  readonly ended: Promise<void>;
} {
  const parts: Uint8Array[] = [];
  const ended = (async () => {
    for await (const part of body) parts.push(part);
  })();
  ended.catch(() => undefined); // a caller that awaits `ended` still receives the rejection
  return { parts, ended };
}
