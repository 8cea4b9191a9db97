// SPDX-License-Identifier: Apache-2.0
// The hub's end of tunnels: a question waits here until its cluster's agent comes for it, and the asker gets what it answers.
import { onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { withDeadline } from "../../base/deadline.ts";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { AcceptStream, StreamEnd } from "../../session/transport.ts";
import type { ObjectRead } from "../../session/tunnel/tunnel.ts";
import { encodeObjectRead } from "../../session/tunnel/tunnel-messages.ts";
import { metricNames } from "../../telemetry/names.ts";
import type { FleetObserver } from "../fleet/fleet-observer.ts";
import { Greetings } from "../fleet/greetings.ts";
import type { SessionRegistry } from "../fleet/session-registry.ts";
import { receiveAnswer, receiveUp } from "./receive-answer.ts";
import { type OpenTunnel, TunnelBook } from "./tunnel-book.ts";

export interface TunnelDeskOptions {
  readonly sessions: () => Pick<SessionRegistry, "openTunnel">;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** What is known of an agent that is not connected: a sentence, or "". */
  readonly whyAway: (cluster: string) => string;
}

/** What somebody wants to know of a cluster. */
export interface TunnelQuestion {
  readonly cluster: string;
  readonly read: ObjectRead;
  /** Where it is written down that it was asked (TU11). */
  readonly log: Logger;
}

/** TU4: a person who waits for a page has given up by then. */
export const tunnelDeadlineMs = 15_000;

/** How long an agent may take to end a tunnel whose answer has come. */
const lingerMs = 5_000;

/** Puts questions of users to the agents of their clusters. */
export class TunnelDesk {
  readonly #options: TunnelDeskOptions;
  readonly #book: TunnelBook;
  readonly #greetings = new Greetings();
  readonly #asked: Counter<"outcome">;

  constructor(options: TunnelDeskOptions) {
    this.#options = options;
    this.#book = new TunnelBook(options.random);
    this.#asked = options.metrics.counter({
      name: metricNames.tunnels,
      help: "Questions of users that were put to agents: OK, or the code of what stood in the way.",
      labels: ["outcome"],
    });
  }

  /** Ends the tunnels that a session opened when it is over (TU2), and those that its agent failed to answer (TU4). Shards that only deliver open none, and count their epochs apart. */
  readonly observer: Pick<FleetObserver, "ended" | "tunnelsFailed"> = {
    ended: ({ cluster, shard, epoch }) => {
      if (shard === "") this.#book.endSession(cluster, epoch);
    },
    tunnelsFailed: (session, failures) => {
      if (session.shard !== "") return;
      for (const { tunnelId, error } of failures) this.#book.fail(tunnelId, session, toFailure(session.cluster, error));
    },
  };

  /** Takes a stream of the Tunnel RPC: it belongs to the question whose ticket its first message shows. */
  readonly accept: AcceptStream = (end, from, noteProven) => {
    const greeted = this.#greetings.enter(from);
    if (greeted === undefined) end.close(new FlotillaError("OVERLOADED", "too many tunnels are being opened at once"));
    // A stream that is over may leave its reader waiting; it has no place among greetings any more.
    else void Promise.race([this.#greet(end, noteProven), end.closed]).finally(greeted);
  };

  /**
   * The object as JSON, as its cluster has it now. Rejects with what the agent or its API server said, with UNAVAILABLE or PERMISSION_DENIED where the agent cannot be asked, with
   * OVERLOADED, DEADLINE_EXCEEDED or the signal's reason.
   */
  async readObject({ cluster, read, log }: TunnelQuestion, signal: AbortSignal): Promise<Uint8Array> {
    const { clock } = this.#options;
    const startedAtMs = clock.nowMs();
    let tunnel: OpenTunnel | undefined;
    let outcome = "OK";
    try {
      tunnel = this.#book.open(cluster);
      return await this.#askInTime(tunnel, read, signal);
    } catch (reason) {
      outcome = signal.aborted ? "left" : toFlotillaError(reason).code;
      throw reason;
    } finally {
      if (tunnel !== undefined) this.#book.close(tunnel);
      this.#asked.add({ outcome });
      const { user, resource, namespace, name } = read;
      const tookMs = Math.round(clock.nowMs() - startedAtMs);
      const fields = { tunnel: tunnel?.id, cluster, user, resource, namespace, name, outcome, tookMs };
      log.info("object read for a user", fields);
    }
  }

  async #askInTime(tunnel: OpenTunnel, read: ObjectRead, signal: AbortSignal): Promise<Uint8Array> {
    const answer = await withDeadline((within) => this.#ask(tunnel, read, within), {
      clock: this.#options.clock,
      limitMs: tunnelDeadlineMs,
      what: `an answer of the agent of ${tunnel.cluster}`,
      signal: AbortSignal.any([signal, tunnel.cut.signal]),
    });
    if (answer instanceof FlotillaError) throw answer;
    return answer;
  }

  /** What the agent answers. Waits for ever where none comes: whoever calls it has a deadline. */
  async #ask(tunnel: OpenTunnel, read: ObjectRead, signal: AbortSignal): Promise<Uint8Array | FlotillaError> {
    this.#tellAgent(tunnel);
    const end = await tunnel.arrived.promise;
    const unlisten = onAbort(signal, () => end.close(new FlotillaError("UNAVAILABLE", "nobody waits for the answer")));
    try {
      await end.send(encodeObjectRead(read), signal);
      const answer = await receiveAnswer(end);
      void this.#letGo(end);
      return answer;
    } catch (reason) {
      end.close(toFlotillaError(reason));
      throw reason;
    } finally {
      unlisten();
    }
  }

  #tellAgent(tunnel: OpenTunnel): void {
    const { id: tunnelId, cluster, ticket } = tunnel;
    const asked = this.#options.sessions().openTunnel(cluster, { tunnelId, ticket, deadlineMs: tunnelDeadlineMs });
    switch (asked.kind) {
      case "asked":
        tunnel.epoch = asked.epoch;
        return;
      case "notConnected": {
        const sentence = `the agent of ${cluster} is not connected, so its objects cannot be read now`;
        throw new FlotillaError("UNAVAILABLE", `${sentence}. ${this.#options.whyAway(cluster)}`.trimEnd());
      }
      case "notServed":
        throw new FlotillaError(
          "PERMISSION_DENIED",
          `the agent of ${cluster} reads no objects for users; run it with --object-reads, and in a cluster apply \`flotilla agent manifest --object-reads\``,
        );
    }
  }

  /** The agent ends a tunnel, as only it knows when its last message is out; one that does not is left. */
  async #letGo(end: StreamEnd): Promise<void> {
    const cancel = this.#options.clock.setTimer(lingerMs, () => end.close());
    await end.closed;
    cancel();
    end.close();
  }

  /** Reads the first message of a stream and hands the stream to whoever waits for it. Never rejects. */
  async #greet(end: StreamEnd, noteProven: (() => void) | undefined): Promise<void> {
    const late = new FlotillaError("DEADLINE_EXCEEDED", "no ticket was shown");
    const cancel = this.#options.clock.setTimer(tunnelDeadlineMs, () => end.close(late));
    try {
      const message = await receiveUp(end);
      const tunnel = message.kind === "opening" ? this.#book.takeTicket(message.tunnelId, message.ticket) : undefined;
      if (tunnel === undefined) throw new FlotillaError("NOT_FOUND", "there is no such tunnel");
      noteProven?.();
      tunnel.arrived.resolve(end);
    } catch (reason) {
      end.close(toFlotillaError(reason));
    } finally {
      cancel();
    }
  }
}

/** What an agent could not come for, in the words of its asker. Only being busy is told as such: what else an agent met with on its way, a hub that knows no such tunnel above all, says nothing of the object. */
function toFailure(cluster: string, { code, message }: FlotillaError): FlotillaError {
  const sentence = `the agent of ${cluster} could not answer: ${message}`;
  return new FlotillaError(code === "OVERLOADED" ? code : "UNAVAILABLE", sentence);
}
