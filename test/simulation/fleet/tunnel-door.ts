// SPDX-License-Identifier: Apache-2.0
// The hub's door for tunnels: every stream and every message of one passes here, and the judge is told.
import type { HubFleet } from "../../../src/hub/hub-fleet.ts";
import type { AcceptStream, StreamEnd } from "../../../src/session/transport.ts";
import {
  encodeOpening,
  parseTunnelDown,
  parseTunnelUp,
  type TunnelUp,
} from "../../../src/session/tunnel/tunnel-messages.ts";
import type { World } from "../../support/sim/world.ts";
import type { Passage } from "./tap.ts";
import { acceptTunnels, getObject } from "./tunnel-calls.ts";
import type { Question, TunnelJudge } from "./tunnel-judge.ts";

/** A deliberate fault of our own at the hub's end of tunnels. */
export interface TunnelBug {
  /** What the hub takes an opening for. */
  readonly reopen?: (opening: Opening, judge: TunnelJudge) => Opening;
  /** What the hub reads of a stream. */
  readonly reread?: (messages: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** Changes the hub itself, as it starts. */
  readonly spoil?: (hub: HubFleet) => void;
}

export type Opening = Omit<Extract<TunnelUp, { kind: "opening" }>, "kind">;

export interface TunnelDoorOptions {
  readonly world: World;
  readonly judge: TunnelJudge;
  readonly bug?: TunnelBug;
}

/** One for all processes of a hub. */
export class TunnelDoor {
  readonly #options: TunnelDoorOptions;
  #open: { readonly hub: HubFleet; readonly stopped: AbortSignal } | undefined;

  constructor(options: TunnelDoorOptions) {
    this.#options = options;
  }

  /** A process of the hub serves until the signal aborts. `step` is taken with each message. */
  open(hub: HubFleet, stopped: AbortSignal, step: () => void): AcceptStream {
    const { world, bug } = this.#options;
    bug?.spoil?.(hub);
    this.#open = { hub, stopped };
    const accept = acceptTunnels(hub, { world, random: world.random.fork(`tunnels ${world.clock.nowMs()}`), stopped });
    return (end, from) => accept(this.#tap(end, from, step), from);
  }

  /** A stream of a session begins; what this returns is told of each message on it. */
  followSession(end: StreamEnd, from: string): (passage: Passage) => void {
    return this.#options.judge.followSession(end, from);
  }

  /** Puts a question to the hub. True where an object came; undefined where there is no hub to ask. */
  async ask(question: Question, leaving: AbortSignal): Promise<boolean | undefined> {
    const { world, judge } = this.#options;
    if (this.#open === undefined || this.#open.stopped.aborted) return undefined;
    const { hub, stopped } = this.#open;
    // A hub that goes down takes the user's connection with it.
    const either = AbortSignal.any([leaving, stopped]);
    return judge.follow(question, () => getObject(hub, world, question, either), either);
  }

  #tap(end: StreamEnd, from: string, step: () => void): StreamEnd {
    const { judge, bug = {} } = this.#options;
    let shown: Opening = { tunnelId: "", ticket: new Uint8Array() };
    const take = (bytes: Uint8Array): Uint8Array => {
      step();
      const opening = openingOf(bytes);
      if (opening === undefined) return bytes;
      shown = opening;
      const { tunnelId, ticket } = bug.reopen?.(opening, judge) ?? opening;
      return encodeOpening(tunnelId, ticket);
    };
    const receive = { [Symbol.asyncIterator]: () => mapEach(end.receive, take) };
    return {
      receive: bug.reread?.(receive) ?? receive,
      closed: end.closed,
      close: (error) => end.close(error),
      send: async (bytes, signal) => {
        judge.told(parseTunnelDown(bytes), shown, from);
        step();
        await end.send(bytes, signal);
      },
    };
  }
}

/** Undefined for another message, and for bytes that are none. */
function openingOf(bytes: Uint8Array): Opening | undefined {
  try {
    const message = parseTunnelUp(bytes);
    return message.kind === "opening" ? message : undefined;
  } catch {
    return undefined; // the hub is to find that out by itself
  }
}

/** Without `return`: leaving a loop over it keeps the stream. */
function mapEach(pieces: AsyncIterable<Uint8Array>, map: (piece: Uint8Array) => Uint8Array): AsyncIterator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return {
    async next() {
      const step = await iterator.next();
      return step.done === true ? step : { done: false, value: map(step.value) };
    },
  };
}
