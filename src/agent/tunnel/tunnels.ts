// SPDX-License-Identifier: Apache-2.0
// The agent's end of tunnels: each opened when the hub asks for it, answered once, and closed.
import { abortReason, onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { openDeadline } from "../../base/deadline.ts";
import { FlotillaError, hasCode, toFlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import { cutText } from "../../model/text.ts";
import type { SessionTransport, StreamEnd } from "../../session/transport.ts";
import { maxTunnelsOfAgent, type ObjectRead, type TunnelOffer } from "../../session/tunnel/tunnel.ts";
import { encodeBody, encodeOpening, encodeRefusal, parseTunnelDown } from "../../session/tunnel/tunnel-messages.ts";
import { metricNames } from "../../telemetry/metric-names.ts";

export interface TunnelsOptions {
  /** Dials the hub beside the session. */
  readonly transport: SessionTransport;
  /** The bytes of the object asked for, as JSON. Throws a FlotillaError for the user, or the signal's reason. */
  readonly read: (read: ObjectRead, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Of each part of a question that is written down: whatever is allowed is written whole. */
const maxWrittenBytes = 1_024;

/** Tells the hub, in the session, of an end that it does not hear of in the tunnel. */
export type TellFailure = (error: FlotillaError) => void;

/** Serves tunnels until it is disposed of; none is open then. */
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

  /** Answers an offer in its own time. Beyond its bound the agent leaves it out, and says so (TU5). */
  open(offer: TunnelOffer, tellFailure: TellFailure): void {
    if (this.#open.size >= maxTunnelsOfAgent) {
      this.#served.add({ outcome: "OVERLOADED" });
      this.#options.log.warn("a tunnel was left out, too many are open", { tunnel: offer.tunnelId });
      tellFailure(new FlotillaError("OVERLOADED", "too many of its tunnels are open; try again"));
      return;
    }
    const serving = this.#serve(offer, tellFailure).finally(() => this.#open.delete(serving));
    this.#open.add(serving);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new FlotillaError("UNAVAILABLE", "the agent stops"));
    await Promise.all(this.#open);
  }

  /** Never rejects: the hub is told, in the tunnel or beside it. */
  async #serve(offer: TunnelOffer, tellFailure: TellFailure): Promise<void> {
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
      // The hub has the same deadline, and an agent that stops ends the session.
      if (!deadline.signal.aborted) tellFailure(error);
    }
    this.#served.add({ outcome: error?.code ?? "OK" });
    this.#writeDown(offer.tunnelId, asked.read, error, Math.round(clock.nowMs() - startedAtMs));
  }

  /** TU11. What the API server said is the user's alone; what went wrong with the agent or on the way is for whoever runs it. */
  #writeDown(tunnel: string, read: ObjectRead | undefined, error: FlotillaError | undefined, tookMs: number): void {
    const { log } = this.#options;
    const outcome = error?.code ?? "OK";
    if (read === undefined) log.warn("a tunnel brought no question", { tunnel, outcome, tookMs }, error);
    else {
      const [user, resource, namespace, name] = [read.user, read.resource, read.namespace, read.name].map((part) =>
        cutText(part, maxWrittenBytes),
      );
      log.info("read an object for a user", { tunnel, user, resource, namespace, name, outcome, tookMs });
      if (outcome === "INTERNAL") log.error("a tunnel failed", { tunnel }, error);
    }
  }

  /** Comes for a question, and once more where the way broke before it was told: a connection may have died while nobody used it, and the ticket was not shown. */
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

  /** One question and its answer: undefined, or what the hub was told in its place. Rejects with what it could not be told. `signal` is the tunnel's own. */
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
      // Whoever asked may leave before the answer: the hub ends the stream then, and the API server need not go on.
      void end.closed.then(() => leaving.abort(new FlotillaError("UNAVAILABLE", "the tunnel ended before its answer")));
      // As they come: an object is nowhere whole in the agent, whose memory has a bound (U-65).
      for await (const bytes of this.#options.read(asked.read, leaving.signal))
        await end.send(encodeBody(bytes, false), leaving.signal);
      await end.send(encodeBody(new Uint8Array(), true), leaving.signal);
      return undefined;
    } catch (reason) {
      // Leaving breaks the stream, which is not what ended it.
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
  throw new FlotillaError("UNAVAILABLE", "the hub ended the tunnel before it asked anything");
}
