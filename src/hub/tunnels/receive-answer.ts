// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { StreamEnd } from "../../session/transport.ts";
import { maxObjectBytes } from "../../session/tunnel/tunnel.ts";
import { parseTunnelUp, type TunnelUp } from "../../session/tunnel/tunnel-messages.ts";

/** The next message of an agent. Throws what the stream failed with, MALFORMED, and UNAVAILABLE where it ended. */
export async function receiveUp(end: StreamEnd): Promise<TunnelUp> {
  for await (const bytes of end.receive) return parseTunnelUp(bytes);
  throw new FlotillaError("UNAVAILABLE", "the agent ended the tunnel before its answer was whole");
}

/** The whole answer, or what the agent refused it with. Throws TOO_LARGE where it sends more than it may (TU5). */
export async function receiveAnswer(end: StreamEnd): Promise<Uint8Array | FlotillaError> {
  const body = new Body();
  for (;;) {
    const message = await receiveUp(end);
    switch (message.kind) {
      case "refusal":
        return message.error;
      case "opening":
        throw new FlotillaError("MALFORMED", "the agent opened a tunnel that is open");
      case "body":
        body.add(message.bytes);
        if (message.isLast) return body.whole();
    }
  }
}

/** Bytes that are put together as they come. They are copied: however small the parts, or large the messages they came in, it holds twice their sum at the most. */
class Body {
  #bytes = new Uint8Array();
  #byteCount = 0;

  add(part: Uint8Array): void {
    const nextCount = this.#byteCount + part.length;
    if (nextCount > maxObjectBytes)
      throw new FlotillaError("TOO_LARGE", `the agent sends more than ${maxObjectBytes} bytes, the most of an object`);
    if (nextCount > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(maxObjectBytes, Math.max(nextCount, 2 * this.#bytes.length)));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(part, this.#byteCount);
    this.#byteCount = nextCount;
  }

  whole(): Uint8Array {
    return this.#bytes.subarray(0, this.#byteCount);
  }
}
