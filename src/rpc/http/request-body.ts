// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { stepsUntilAborted } from "../server/abortable-stream.ts";
import type { Exchange } from "./exchange.ts";

/** 1 kB: upper bound of what a protocol adds to one message on the wire, as envelope or trailer. */
const envelopeSlackBytes = 1_000;

/** Size limits of a request body. */
export interface BodyLimits {
  /** For a body with one message. Undefined for a stream of messages, whose size Connect limits per message. */
  readonly maxMessageBytes: number | undefined;
  /** For all bytes of a stream before its sender is authenticated (RP51). */
  readonly maxUnauthenticatedBytes: number;
}

/**
 * The bytes of a request's body, read on demand. A body with one message must be complete within its deadline
 * (DEADLINE_EXCEEDED) and size (TOO_LARGE). Leaving the iteration early keeps the connection usable for the response.
 */
export async function* readBody(exchange: Exchange, limits: BodyLimits): AsyncIterable<Uint8Array> {
  const { request, response } = exchange;
  const { maxMessageBytes, maxUnauthenticatedBytes } = limits;
  if (maxMessageBytes !== undefined) checkDeclaredLength(exchange, maxMessageBytes);
  // The body is requested only now: a request refused earlier never sends its body.
  if (exchange.header("expect")?.toLowerCase() === "100-continue") response.writeContinue();
  const late = new AbortController();
  const cancel = maxMessageBytes === undefined ? undefined : exchange.expectBody(() => late.abort(bodyLate(exchange)));
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  const steps = stepsUntilAborted(chunks, late.signal);
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return;
      exchange.requestBytes += step.value.length;
      if (maxMessageBytes !== undefined) checkLength(exchange.requestBytes, maxMessageBytes);
      else if (!exchange.isAuthenticated) checkLength(exchange.requestBytes, maxUnauthenticatedBytes);
      yield step.value;
    }
  } finally {
    cancel?.();
    steps.end();
    void chunks.return?.().catch(() => undefined); // a pending read ends with the connection
  }
}

/** Throws TOO_LARGE if the declared content-length of a body with one message is over the limit. */
export function checkDeclaredLength(exchange: Exchange, maxMessageBytes: number): void {
  checkLength(Number(exchange.header("content-length") ?? 0), maxMessageBytes);
}

function checkLength(byteCount: number, maxMessageBytes: number): void {
  if (byteCount <= maxMessageBytes + envelopeSlackBytes) return;
  const message = `the request is over the limit of ${maxMessageBytes} bytes`;
  throw new FlotillaError("TOO_LARGE", message, { ids: { maxMessageBytes } });
}

function bodyLate({ bodyTimeoutMs }: Exchange): FlotillaError {
  return new FlotillaError("DEADLINE_EXCEEDED", `the request did not arrive completely within ${bodyTimeoutMs} ms`);
}
