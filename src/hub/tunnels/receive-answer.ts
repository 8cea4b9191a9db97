// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { StreamEnd } from "../../session/transport.ts";
import { maxObjectBytes } from "../../session/tunnel/tunnel.ts";
import { parseTunnelUp, type TunnelUp } from "../../session/tunnel/tunnel-messages.ts";

/** The agent's next message. Throws the stream's failure, MALFORMED, or UNAVAILABLE when the stream has ended. */
export async function receiveUp(end: StreamEnd): Promise<TunnelUp> {
  for await (const bytes of end.receive) return parseTunnelUp(bytes);
  throw new FlotillaError("UNAVAILABLE", "the agent ended the tunnel before its answer was complete");
}

/** The complete answer, or the agent's refusal. Throws TOO_LARGE when the answer exceeds the limit (TU5). */
export async function receiveAnswer(end: StreamEnd): Promise<Uint8Array | FlotillaError> {
  const body = new Body();
  for (;;) {
    const message = await receiveUp(end);
    switch (message.kind) {
      case "refusal":
        return message.error;
      case "opening":
        throw new FlotillaError("MALFORMED", "the agent opened a tunnel that is already open");
      case "body":
        body.add(message.bytes);
        if (message.isLast) return body.complete();
    }
  }
}

/**
 * Concatenates the parts of a body. Parts are copied, so it holds at most twice their sum, whatever the size of parts
 * and messages.
 */
class Body {
  #bytes = new Uint8Array();
  #byteCount = 0;

  add(part: Uint8Array): void {
    const nextCount = this.#byteCount + part.length;
    if (nextCount > maxObjectBytes)
      throw new FlotillaError("TOO_LARGE", `the agent sent more than ${maxObjectBytes} bytes, the limit of one object`);
    if (nextCount > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(maxObjectBytes, Math.max(nextCount, 2 * this.#bytes.length)));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(part, this.#byteCount);
    this.#byteCount = nextCount;
  }

  complete(): Uint8Array {
    return this.#bytes.subarray(0, this.#byteCount);
  }
}
