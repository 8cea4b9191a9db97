// SPDX-License-Identifier: Apache-2.0
// The agent's side of tunnels. Each is opened when the hub asks, answers one question, and is closed.
import { abortReason, onAbort } from "../../base/abort.ts";
import { FlotillaError, hasCode, toFlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { Clock } from "../../base/time/clock.ts";
import { openDeadline } from "../../base/time/deadline.ts";
import { cutText } from "../../model/text.ts";
import type { SessionTransport, StreamEnd } from "../../session/transport.ts";
import { maxTunnelsOfAgent, type ObjectRead, type TunnelOffer } from "../../session/tunnel/tunnel.ts";
import { encodeBody, encodeOpening, encodeRefusal, parseTunnelDown } from "../../session/tunnel/tunnel-messages.ts";
import { metricNames } from "../../telemetry/metric-names.ts";

export interface TunnelsOptions {
  /** Dials the hub, separately from the session. */
  readonly transport: SessionTransport;
  /** The bytes of the requested object, as JSON. Throws a FlotillaError for the user, or the signal's reason. */
  readonly read: (read: ObjectRead, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Limit for each logged part of a question. Every allowed part fits, so it is logged whole. */
const maxWrittenBytes = 1_024;

/** Reports a failure to the hub over the session, if it cannot be reported in the tunnel. */
export type ReportFailure = (error: FlotillaError) => void;

/** Serves tunnels until disposal, which ends all of them. */
export class Tunnels implements AsyncDisposable {
  readonly #options: TunnelsOptions;
  readonly #closing = new AbortController();
  readonly #open = new Set<Promise<void>>();
  readonly #served: Counter<"outcome">;

  constructor(options: TunnelsOptions) {
    this.#options = options;
    this.#served = options.metrics.counter({
      name: metricNames.agentTunnels,
      help: "Questions of users that the agent put to its API server, by what came of them.",
      labels: ["outcome"],
    });
  }

  /** Answers an offer asynchronously. Over the limit it refuses with OVERLOADED (TU5). */
  open(offer: TunnelOffer, reportFailure: ReportFailure): void {
    if (this.#open.size >= maxTunnelsOfAgent) {
      this.#served.add({ outcome: "OVERLOADED" });
      this.#options.log.warn("a tunnel was refused: too many are open", { tunnel: offer.tunnelId });
      reportFailure(new FlotillaError("OVERLOADED", "the agent has too many open tunnels; try again"));
      return;
    }
    const serving = this.#serve(offer, reportFailure).finally(() => this.#open.delete(serving));
    this.#open.add(serving);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new FlotillaError("UNAVAILABLE", "the agent stops"));
    await Promise.all(this.#open);
  }

  /** Never rejects. A failure goes to the hub in the tunnel, or else over the session. */
  async #serve(offer: TunnelOffer, reportFailure: ReportFailure): Promise<void> {
    const { clock } = this.#options;
    const startedAtMs = clock.nowMs();
    const asked: { read?: ObjectRead } = {};
    let error: FlotillaError | undefined;
    using deadline = openDeadline({
      clock,
      limitMs: offer.deadlineMs,
      what: "the end of a tunnel",
      signal: this.#closing.signal,
    });
    try {
      error = await this.#come(offer, asked, deadline.signal);
    } catch (reason) {
      error = toFlotillaError(reason);
      // Not after the deadline, which the hub has too, nor when the agent stops, which ends the session.
      if (!deadline.signal.aborted) reportFailure(error);
    }
    this.#served.add({ outcome: error?.code ?? "OK" });
    this.#writeDown(offer.tunnelId, asked.read, error, Math.round(clock.nowMs() - startedAtMs));
  }

  /**
   * Logs the outcome (TU11). The API server's answer is the user's alone, so the error is logged only for INTERNAL and
   * for a tunnel without a question.
   */
  #writeDown(tunnel: string, read: ObjectRead | undefined, error: FlotillaError | undefined, tookMs: number): void {
    const { log } = this.#options;
    const outcome = error?.code ?? "OK";
    if (read === undefined) log.warn("a tunnel ended before its request", { tunnel, outcome, tookMs }, error);
    else {
      const [user, resource, namespace, name] = [read.user, read.resource, read.namespace, read.name].map((part) =>
        cutText(part, maxWrittenBytes),
      );
      log.info("read an object for a user", { tunnel, user, resource, namespace, name, outcome, tookMs });
      if (outcome === "INTERNAL") log.error("a tunnel failed", { tunnel }, error);
    }
  }

  /**
   * Opens the tunnel, and once more if the connection broke before the question arrived: an idle connection may have
   * died, and then the hub has not seen the ticket.
   */
  async #come(
    offer: TunnelOffer,
    asked: { read?: ObjectRead },
    signal: AbortSignal,
  ): Promise<FlotillaError | undefined> {
    const { transport } = this.#options;
    try {
      return await this.#answer(await transport.dial(signal), offer, asked, signal);
    } catch (reason) {
      if (asked.read !== undefined || signal.aborted || !hasCode(reason, "UNAVAILABLE")) throw reason;
      return await this.#answer(await transport.dial(signal), offer, asked, signal);
    }
  }

  /**
   * Answers one question. Resolves with undefined, or with the error that was sent to the hub. Rejects with an error
   * that could not be sent. `signal` is the tunnel's own.
   */
  async #answer(
    end: StreamEnd,
    { tunnelId, ticket }: TunnelOffer,
    asked: { read?: ObjectRead },
    signal: AbortSignal,
  ): Promise<FlotillaError | undefined> {
    const leaving = new AbortController();
    onAbort(signal, () => leaving.abort(signal.reason));
    onAbort(leaving.signal, () => end.close(toFlotillaError(leaving.signal.reason)));
    try {
      await end.send(encodeOpening(tunnelId, ticket), leaving.signal);
      asked.read = await receiveQuestion(end);
      // If the user leaves before the answer, the hub ends the stream, and the request to the API server is cancelled.
      void end.closed.then(() =>
        leaving.abort(new FlotillaError("UNAVAILABLE", "the tunnel was closed before the response was complete")),
      );
      // Streamed: the agent never holds a whole object, because its memory is bounded (U-65).
      for await (const bytes of this.#options.read(asked.read, leaving.signal))
        await end.send(encodeBody(bytes, false), leaving.signal);
      await end.send(encodeBody(new Uint8Array(), true), leaving.signal);
      return undefined;
    } catch (reason) {
      // The abort closed the stream, so its reason is the error, not the closed stream.
      if (leaving.signal.aborted) throw abortReason(leaving.signal);
      const error = toFlotillaError(reason);
      await end.send(encodeRefusal(error), leaving.signal).catch(() => {
        throw error;
      });
      return error;
    } finally {
      end.close();
    }
  }
}

async function receiveQuestion(end: StreamEnd): Promise<ObjectRead> {
  for await (const bytes of end.receive) return parseTunnelDown(bytes);
  throw new FlotillaError("UNAVAILABLE", "the hub closed the tunnel before it sent a request");
}
