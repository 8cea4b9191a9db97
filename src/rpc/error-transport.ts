// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { abortReason } from "../base/abort.ts";
import { FlotillaError } from "../base/error.ts";
import { fromNetworkError } from "./network-error.ts";
import { fromConnectError } from "./rpc-error.ts";
import { linkSignals, type SignalLink } from "./stream-cut.ts";

/** The hub that is called. */
interface Peer {
  readonly url: string;
  /** Whether its certificate must be signed by a CA that was given, or by one of the system. Default: true. */
  readonly isCaGiven?: boolean;
}

/**
 * The transport with failures as FlotillaErrors: those the hub sent, UNAVAILABLE naming the address where it cannot be
 * reached, CERTIFICATE_INVALID where it cannot be trusted. A call that its own signal aborted rejects with that signal's
 * reason. This is done around the transport, because what an interceptor throws Connect wraps into an error of its own.
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

/** The caller's signal in Connect's words: with any other reason the hub would be told of an internal error, not of a cancellation. */
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
  if (reason.cause instanceof FlotillaError) return reason.cause; // thrown on our side, by whoever gives the token
  return fromNetworkError(reason.cause, url, isCaGiven) ?? fromConnectError(reason);
}
