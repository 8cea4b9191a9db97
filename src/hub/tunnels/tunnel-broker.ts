// SPDX-License-Identifier: Apache-2.0
// The hub's end of tunnels: a request waits here until the cluster's agent opens a stream for it, and returns the
// agent's answer.
import { onAbort } from "../../base/abort.ts";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import type { AcceptStream, StreamEnd } from "../../session/transport.ts";
import type { ObjectRead } from "../../session/tunnel/tunnel.ts";
import { encodeObjectRead } from "../../session/tunnel/tunnel-messages.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import type { SessionTable } from "../sessions/session-table.ts";
import { UnauthenticatedStreams } from "../sessions/unauthenticated-streams.ts";
import { type OpenTunnel, OpenTunnels } from "./open-tunnels.ts";
import { receiveAnswer, receiveUp } from "./receive-answer.ts";

export interface TunnelBrokerOptions {
  readonly sessions: Pick<SessionTable, "openTunnel">;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** Why the agent is not connected, as a sentence; "" if unknown. */
  readonly whyAway: (cluster: string) => string;
}

/** One read of an object in a cluster. */
export interface TunnelQuestion {
  readonly cluster: string;
  readonly read: ObjectRead;
  /** Receives the log line of this read (TU11). */
  readonly log: Logger;
}

/** TU4: a user who waits for a page has given up by then. */
export const tunnelDeadlineMs = 15_000;

/** Time for an agent to end a tunnel after its answer. */
const lingerMs = 5_000;

/** Reads objects from clusters for users, through tunnels that agents open. */
export class TunnelBroker {
  readonly #options: TunnelBrokerOptions;
  readonly #tunnels: OpenTunnels;
  readonly #greetings = new UnauthenticatedStreams();
  readonly #asked: Counter<"outcome">;

  constructor(options: TunnelBrokerOptions) {
    this.#options = options;
    this.#tunnels = new OpenTunnels(options.random);
    this.#asked = options.metrics.counter({
      name: metricNames.tunnels,
      help: "Object reads for users through agents, by outcome: OK, an error code, or left when the caller disconnected.",
      labels: ["outcome"],
    });
  }

  /**
   * Aborts a session's tunnels when it ends (TU2), and those that its agent reports as failed (TU4). Sessions of other
   * shards open no tunnels and have epochs of their own.
   */
  readonly handlers = {
    ended: ({ session: { cluster, shard, epoch } }) => {
      if (shard === "") this.#tunnels.endSession(cluster, epoch);
    },
    tunnelsFailed: ({ session, failures }) => {
      if (session.shard !== "") return;
      for (const { tunnelId, error } of failures)
        this.#tunnels.fail(tunnelId, session, toFailure(session.cluster, error));
    },
  } satisfies SessionHandlers;

  /** Accepts a stream of the Tunnel RPC and assigns it to the tunnel whose ticket its first message presents. */
  readonly accept: AcceptStream = (end, from, noteProven) => {
    const greeted = this.#greetings.enter(from);
    if (greeted === undefined) end.close(new FlotillaError("OVERLOADED", "too many tunnels are being opened at once"));
    // The reader of a closed stream can wait for ever; the stream must not occupy a greeting slot.
    else void Promise.race([this.#greet(end, noteProven), end.closed]).finally(greeted);
  };

  /**
   * The object as JSON, read now from its cluster. Rejects with the error of the agent or its API server, UNAVAILABLE
   * or PERMISSION_DENIED when the agent cannot be asked, OVERLOADED, DEADLINE_EXCEEDED or the signal's reason.
   */
  async readObject({ cluster, read, log }: TunnelQuestion, signal: AbortSignal): Promise<Uint8Array> {
    const { clock } = this.#options;
    const startedAtMs = clock.nowMs();
    let tunnel: OpenTunnel | undefined;
    let outcome = "OK";
    try {
      tunnel = this.#tunnels.open(cluster);
      return await this.#askWithDeadline(tunnel, read, signal);
    } catch (reason) {
      outcome = signal.aborted ? "left" : toFlotillaError(reason).code;
      throw reason;
    } finally {
      if (tunnel !== undefined) this.#tunnels.close(tunnel);
      this.#asked.add({ outcome });
      const { user, resource, namespace, name } = read;
      const tookMs = Math.round(clock.nowMs() - startedAtMs);
      const fields = { tunnel: tunnel?.id, cluster, user, resource, namespace, name, outcome, tookMs };
      log.info("object read for a user", fields);
    }
  }

  async #askWithDeadline(tunnel: OpenTunnel, read: ObjectRead, signal: AbortSignal): Promise<Uint8Array> {
    const answer = await withDeadline((within) => this.#ask(tunnel, read, within), {
      clock: this.#options.clock,
      limitMs: tunnelDeadlineMs,
      what: `an answer of the agent of ${tunnel.cluster}`,
      signal: AbortSignal.any([signal, tunnel.cut.signal]),
    });
    if (answer instanceof FlotillaError) throw answer;
    return answer;
  }

  /** The agent's answer. Has no deadline of its own: the caller must set one. */
  async #ask(tunnel: OpenTunnel, read: ObjectRead, signal: AbortSignal): Promise<Uint8Array | FlotillaError> {
    this.#requestTunnel(tunnel);
    const end = await tunnel.arrived.promise;
    const unlisten = onAbort(signal, () =>
      end.close(new FlotillaError("UNAVAILABLE", "the answer is no longer needed")),
    );
    try {
      await end.send(encodeObjectRead(read), signal);
      const answer = await receiveAnswer(end);
      void this.#awaitEnd(end);
      return answer;
    } catch (reason) {
      end.close(toFlotillaError(reason));
      throw reason;
    } finally {
      unlisten();
    }
  }

  #requestTunnel(tunnel: OpenTunnel): void {
    const { id: tunnelId, cluster, ticket } = tunnel;
    const asked = this.#options.sessions.openTunnel(cluster, { tunnelId, ticket, deadlineMs: tunnelDeadlineMs });
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

  /**
   * Waits for the agent to end the tunnel, because only the agent knows when its last message was sent. Closes it after
   * a timeout.
   */
  async #awaitEnd(end: StreamEnd): Promise<void> {
    const cancel = this.#options.clock.setTimer(lingerMs, () => end.close());
    await end.closed;
    cancel();
    end.close();
  }

  /** Reads the first message of a stream and assigns the stream to its tunnel. Never rejects. */
  async #greet(end: StreamEnd, noteProven: (() => void) | undefined): Promise<void> {
    const late = new FlotillaError("DEADLINE_EXCEEDED", "no ticket was presented in time");
    const cancel = this.#options.clock.setTimer(tunnelDeadlineMs, () => end.close(late));
    try {
      const message = await receiveUp(end);
      const tunnel =
        message.kind === "opening" ? this.#tunnels.takeTicket(message.tunnelId, message.ticket) : undefined;
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

/**
 * Converts an agent's failure to open a tunnel to an error for the caller. Only OVERLOADED keeps its code: other codes,
 * such as a NOT_FOUND for the tunnel, would be mistaken for facts about the object.
 */
function toFailure(cluster: string, { code, message }: FlotillaError): FlotillaError {
  const sentence = `the agent of ${cluster} could not answer: ${message}`;
  return new FlotillaError(code === "OVERLOADED" ? code : "UNAVAILABLE", sentence);
}
