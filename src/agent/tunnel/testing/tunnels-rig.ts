// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../../base/abort.ts";
import type { Counter, Metrics } from "../../../base/metrics.ts";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import { silentMetrics } from "../../../base/testing/silent-metrics.ts";
import { createRecordingLogger } from "../../../rpc/testing/recorder.ts";
import type { StreamEnd } from "../../../session/transport.ts";
import { type LinkedEnds, linkEnds } from "../../../session/tunnel/testing/linked-ends.ts";
import type { ObjectRead, TunnelOffer } from "../../../session/tunnel/tunnel.ts";
import { encodeObjectRead, parseTunnelUp, type TunnelUp } from "../../../session/tunnel/tunnel-messages.ts";
import { Tunnels } from "../tunnels.ts";

export const podRead: ObjectRead = { user: "ann", groups: ["dev"], resource: "pods", namespace: "shop", name: "web-1" };

export function offerOf(number: number): TunnelOffer {
  return { tunnelId: `tun_${number}`, ticket: new Uint8Array(32).fill(number), deadlineMs: 15_000 };
}

/** The hub's end of one tunnel. */
export interface HubEnd {
  readonly ends: LinkedEnds;
  next(): Promise<TunnelUp | undefined>;
  /** Everything up to the end, each message as a text. */
  rest(): Promise<string[]>;
}

/** An agent's tunnels, and a hub and an API server that do as the test says. */
export class TunnelsRig {
  readonly clock = new ManualClock();
  readonly recorded = createRecordingLogger();
  readonly streams: LinkedEnds[] = [];
  readonly reads: ObjectRead[] = [];
  /** What the API server sends, each as it comes: a text, what it fails with, or nothing any more from `hang` on. */
  parts: readonly (string | Error)[] = [];
  openReadCount = 0;
  /** What was told in the session, each with its tunnel. */
  readonly told: string[] = [];
  readonly #counts = new Map<string, number>();

  dial: (signal: AbortSignal) => Promise<StreamEnd> = async () => {
    const ends = linkEnds(this.clock);
    this.streams.push(ends);
    return ends.agent;
  };

  readonly tunnels = new Tunnels({
    transport: { dial: (signal) => this.dial(signal) },
    read: (read, signal) => this.#read(read, signal),
    clock: this.clock,
    log: this.recorded,
    metrics: this.#createMetrics(),
  });

  open(offer: TunnelOffer): void {
    this.tunnels.open(offer, ({ code, message }) => this.told.push(`${offer.tunnelId} ${code}: ${message}`));
  }

  /** The stream that was dialled last. */
  async accept(): Promise<HubEnd> {
    await settle();
    const ends = this.streams.at(-1)!;
    return { ends, next: () => nextOf(ends), rest: () => restOf(ends) };
  }

  /** A tunnel whose question was asked. */
  async ask(read: ObjectRead = podRead, offer: TunnelOffer = offerOf(1)): Promise<HubEnd> {
    this.open(offer);
    const hub = await this.accept();
    await hub.next();
    await hub.ends.hub.send(encodeObjectRead(read));
    await settle();
    return hub;
  }

  get openStreamCount(): number {
    return this.streams.filter(({ agent }) => agent.state === "open").length;
  }

  /** How often tunnels came to this. */
  count(outcome: string): number {
    return this.#counts.get(outcome) ?? 0;
  }

  async *#read(read: ObjectRead, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.reads.push(read);
    this.openReadCount += 1;
    try {
      for (const part of this.parts) {
        if (part instanceof Error) throw part;
        if (part === "hang")
          await new Promise((_resolve, reject) => onAbort(signal, () => reject(abortReason(signal))));
        yield new TextEncoder().encode(part);
      }
    } finally {
      this.openReadCount -= 1;
    }
  }

  #createMetrics(): Metrics {
    const counter = <Label extends string>(): Counter<Label> => ({
      add: (labels) => {
        const key = Object.values(labels).join(" ");
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
      },
    });
    return { ...silentMetrics, counter };
  }
}

async function nextOf({ hub }: LinkedEnds): Promise<TunnelUp | undefined> {
  for await (const bytes of hub.receive) return parseTunnelUp(bytes);
  return undefined;
}

async function restOf(ends: LinkedEnds): Promise<string[]> {
  const texts: string[] = [];
  for await (const bytes of ends.hub.receive) {
    const message = parseTunnelUp(bytes);
    if (message.kind === "refusal") texts.push(`${message.error.code}: ${message.error.message}`);
    else if (message.kind === "body") texts.push(message.isLast ? "last" : new TextDecoder().decode(message.bytes));
    else texts.push(message.kind);
  }
  return texts;
}
