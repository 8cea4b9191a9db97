// SPDX-License-Identifier: Apache-2.0
import { expect } from "vitest";
import type { FlotillaError } from "../../../base/error.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import { createRecordingLogger } from "../../../rpc/testing/recorder.ts";
import { type LinkedEnds, linkEnds } from "../../../session/tunnel/testing/linked-ends.ts";
import type { ObjectRead, TunnelOffer } from "../../../session/tunnel/tunnel.ts";
import { encodeOpening } from "../../../session/tunnel/tunnel-messages.ts";
import { CountedMetrics } from "../../fleet/testing/counted-metrics.ts";
import type { SessionFacts } from "../../sessions/session-events.ts";
import type { TunnelAsk } from "../../sessions/session-requests.ts";
import { TunnelBroker } from "../tunnel-broker.ts";

/** A question and what came of it. */
export interface Asked {
  /** The object's text, or the code and the sentence of the failure; undefined while neither has come. */
  outcome(): string | undefined;
  leave(): void;
}

export const podRead: ObjectRead = { user: "ann", groups: ["dev"], resource: "pods", namespace: "shop", name: "web-1" };

/** A tunnel broker, with a session and an agent that the test controls. */
export class TunnelRig {
  readonly clock = new ManualClock();
  readonly metrics = new CountedMetrics();
  readonly recorded = createRecordingLogger();
  /** The offers sent in sessions, in order. */
  readonly offers: (TunnelOffer & { readonly cluster: string })[] = [];
  readonly #streams: LinkedEnds[] = [];
  /** The answer of the session to an offer. */
  openTunnel: (cluster: string) => TunnelAsk = () => ({ kind: "asked", epoch: 1 });
  whyAway = "";

  readonly broker = new TunnelBroker({
    sessions: {
      openTunnel: (cluster, offer) => {
        this.offers.push({ cluster, ...offer });
        return this.openTunnel(cluster);
      },
    },
    clock: this.clock,
    random: createSeededRandom("desk"),
    metrics: this.metrics,
    whyAway: () => this.whyAway,
  });

  ask(cluster = "east", read: ObjectRead = podRead): Asked {
    const leaving = new AbortController();
    let outcome: string | undefined;
    this.broker.readObject({ cluster, read, log: this.recorded }, leaving.signal).then(
      (body) => (outcome = new TextDecoder().decode(body)),
      (reason: unknown) => {
        const { code = "", message = "" } = reason as { code?: string; message?: string };
        outcome = `${code}: ${message}`;
      },
    );
    return { outcome: () => outcome, leave: () => leaving.abort(new Error("the caller left")) };
  }

  /** A stream of the Tunnel RPC, on which nothing was said yet. */
  dial(from = "10.0.0.7:40000"): LinkedEnds {
    const ends = linkEnds(this.clock);
    this.#streams.push(ends);
    this.broker.accept(ends.hub, from);
    return ends;
  }

  /** The agent comes with this ticket. */
  async show({ tunnelId, ticket }: Pick<TunnelOffer, "tunnelId" | "ticket">): Promise<LinkedEnds> {
    const ends = this.dial();
    await ends.agent.send(encodeOpening(tunnelId, ticket));
    await settle();
    return ends;
  }

  /** Asks, and has the agent come for it. */
  async open(cluster = "east"): Promise<Asked & LinkedEnds> {
    const asked = this.ask(cluster);
    await settle();
    return { ...asked, ...(await this.show(this.offers.at(-1)!)) };
  }

  endSession(change: Partial<SessionFacts> = {}): void {
    this.broker.handlers.ended({
      session: sessionOf(change),
      ending: { kind: "lost", reason: "streamBroken", detail: "" },
      nowMs: this.clock.nowMs(),
    });
  }

  /** The agent says in its session that a tunnel failed. */
  fail(tunnelId: string, error: FlotillaError, change: Partial<SessionFacts> = {}): void {
    this.broker.handlers.tunnelsFailed({
      session: sessionOf(change),
      failures: [{ tunnelId, error }],
      nowMs: this.clock.nowMs(),
    });
  }

  /** Streams that either end still holds. */
  get openStreamCount(): number {
    return this.#streams.filter(({ agent, hub }) => agent.state === "open" || hub.state === "open").length;
  }

  /** That nothing of any question is left: no stream, no timer. */
  async expectNothingLeft(): Promise<void> {
    await settle();
    expect({ streams: this.openStreamCount, timers: this.clock.timerCount }).toEqual({ streams: 0, timers: 0 });
  }

  /** How often questions came to this. */
  count(outcome: string): number {
    return this.metrics.get("flotilla_tunnels_total", outcome);
  }
}

function sessionOf(change: Partial<SessionFacts>): SessionFacts {
  return {
    cluster: "east",
    shard: "",
    epoch: 1,
    agentId: "a",
    agentVersion: "",
    incarnation: "i",
    address: "",
    connectedAtMs: 0,
    heartbeatMs: 5_000,
    ...change,
  };
}

/** The next message to the agent; undefined where the stream ended, the failure's code where it broke. */
export async function nextOf({ agent }: Pick<LinkedEnds, "agent">): Promise<Uint8Array | string | undefined> {
  try {
    for await (const bytes of agent.receive) return bytes;
    return undefined;
  } catch (reason) {
    return (reason as { code: string }).code;
  }
}
