// SPDX-License-Identifier: Apache-2.0
// Two ends of a simulated stream, for the tests of the network.
import { FlotillaError } from "../../../src/base/error.ts";
import type { StreamEnd } from "../../../src/session/transport.ts";
import { SimNetwork, type SimNetworkOptions, type StreamListener } from "./network.ts";
import { World } from "./world.ts";

/** The agent dials the hub. */
export const route = { from: "agent", to: "hub", service: "session" };
/** A signal that does not abort. */
export const never = new AbortController().signal;
const encoder = new TextEncoder();
export const decoder = new TextDecoder();

/** What an end has received, and how it ended as far as it knows. */
export interface Received {
  readonly texts: string[];
  ending: string;
}

export interface Bench {
  readonly world: World;
  readonly network: SimNetwork;
  readonly listener: StreamListener;
  /** Server ends, as accepted. */
  readonly accepted: StreamEnd[];
  dial(from?: string): Promise<StreamEnd>;
}

/** A hub that accepts streams, in a world of seed 1. */
export function createBench(options: SimNetworkOptions = {}): Bench {
  const world = new World(1);
  const network = new SimNetwork(world, options);
  const accepted: StreamEnd[] = [];
  const listener = network.listen("hub", "session", (end) => accepted.push(end));
  return {
    world,
    network,
    listener,
    accepted,
    async dial(from = "agent") {
      const dialling = network.dial({ ...route, from }, never);
      await world.run(1_000);
      return dialling;
    },
  };
}

/** Reads an end to its end in the background. */
export function readAll(end: StreamEnd): Received {
  const received: Received = { texts: [], ending: "" };
  void (async () => {
    try {
      for await (const message of end.receive) received.texts.push(decoder.decode(message));
      received.ending = "ended";
    } catch (reason) {
      received.ending = reason instanceof FlotillaError ? reason.code : String(reason);
    }
  })();
  return received;
}

/** The same with one stream open. */
export async function pair(options: SimNetworkOptions = {}): Promise<Bench & { client: StreamEnd; server: StreamEnd }> {
  const bench = createBench(options);
  const client = await bench.dial();
  const server = bench.accepted[0];
  if (server === undefined) throw new Error("nothing was accepted");
  return { ...bench, client, server };
}

/** A message. */
export const text = (value: string): Uint8Array => encoder.encode(value);
/** "0", "1", ... */
export const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));
