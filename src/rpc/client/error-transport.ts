// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { abortReason } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { fromConnectError } from "../rpc-error.ts";
import { linkSignals, type SignalLink } from "../server/abortable-stream.ts";
import { fromNetworkError } from "./network-error.ts";

/** The hub that is called. */
interface Peer {
  readonly url: string;
  /** True if a CA was configured for the hub; false if the system's CAs are trusted. Default: true. */
  readonly isCaGiven?: boolean;
}

/**
 * Wraps a transport so that it throws FlotillaErrors: the hub's own error, UNAVAILABLE with the address if the hub
 * cannot be reached, CERTIFICATE_INVALID if it cannot be trusted. A call whose own signal was aborted rejects with that
 * signal's reason. This wraps the transport because Connect wraps errors thrown by an interceptor.
 */
export function createErrorTransport(
  inner: Transport,
  { timeoutMs, ...peer }: Peer & { readonly timeoutMs: number },
): Transport {
  return {
    async unary(method, signal, callTimeoutMs, ...rest) {
      const cancel = linkCancel(signal);
      try {
        return await inner.unary(method, cancel.signal, callTimeoutMs ?? timeoutMs, ...rest);
      } catch (reason) {
        throw toFailure(reason, peer, signal);
      } finally {
        cancel.end();
      }
    },
    async stream(method, signal, ...rest) {
      const cancel = linkCancel(signal);
      const toOurs = (reason: unknown): unknown => toFailure(reason, peer, signal);
      try {
        const response = await inner.stream(method, cancel.signal, ...rest);
        return { ...response, message: withFailures(response.message, toOurs, cancel) };
      } catch (reason) {
        cancel.end();
        throw toOurs(reason);
      }
    },
  };
}

/**
 * The caller's signal, with a reason that Connect reports as a cancellation. Any other reason would reach the hub as an
 * internal error.
 */
function linkCancel(signal: AbortSignal | undefined): SignalLink {
  const reason = (): Error => new ConnectError("the caller gave up", Code.Canceled);
  return linkSignals(signal === undefined ? [] : [{ signal, reason }]);
}

async function* withFailures<T>(
  messages: AsyncIterable<T>,
  toFailure: (reason: unknown) => unknown,
  link: SignalLink,
): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (reason) {
    throw toFailure(reason);
  } finally {
    link.end();
  }
}

function toFailure(reason: unknown, { url, isCaGiven }: Peer, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return abortReason(signal);
  if (!(reason instanceof ConnectError)) return reason;
  if (reason.cause instanceof FlotillaError) return reason.cause; // thrown in this process by the token function
  return fromNetworkError(reason.cause, url, isCaGiven) ?? fromConnectError(reason);
}
