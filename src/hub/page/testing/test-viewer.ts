// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { type ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import {
  type ChangesUpdate,
  ChangesUpdateSchema,
  type ClusterUpdate,
  ClusterUpdateSchema,
  type FleetCluster,
  type FleetUpdate,
  FleetUpdateSchema,
  type Incident,
  type OpenResponse,
  OpenResponseSchema,
  type PageService,
  type SubscriptionSchema,
} from "../../../gen/flotilla/page/v1/page_pb.ts";
import { mergeCluster } from "./merge-cluster.ts";

type SubscriptionInit = MessageInitShape<typeof SubscriptionSchema>;

/** Turns of the event loop that an answer may take; in memory a handful is enough. */
const maxTurnCount = 200;

/** An incident, with what the clusters tell of it. */
export interface SeenIncident extends Incident {
  readonly outIds: readonly string[];
  readonly returnedIds: readonly string[];
  readonly caughtUpBy: readonly string[];
}

function withClusters(incident: Incident, clusters: readonly FleetCluster[]): SeenIncident {
  const outIds = clusters.filter(({ connection }) => connection?.incident === incident.number).map(({ id }) => id);
  const back = clusters.flatMap(({ id, returns }) => {
    const found = returns.find((each) => each.incident === incident.number);
    return found === undefined || outIds.includes(id) ? [] : [{ id, by: found.caughtUpBy }];
  });
  return { ...incident, outIds, returnedIds: back.map(({ id }) => id), caughtUpBy: back.map(({ by }) => by) };
}

/** One stream, and everything that came through it. */
export class TestStream {
  readonly messages: OpenResponse[] = [];
  /** When each message came, by the manual clock. */
  readonly cameMs: number[] = [];
  failure: unknown;
  isEnded = false;
  readonly #closing = new AbortController();
  readonly #client: Client<typeof PageService>;
  readonly #clock: ManualClock;
  #isPaused = false;
  #resume: (() => void) | undefined;

  constructor(client: Client<typeof PageService>, clock: ManualClock, subscriptions: SubscriptionInit[]) {
    this.#client = client;
    this.#clock = clock;
    void this.#read(subscriptions);
  }

  get streamId(): string {
    return this.messages[0]?.streamId ?? "";
  }

  /** Stops taking messages, as a browser that does not read. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#resume?.();
  }

  async subscribe(subscription: SubscriptionInit): Promise<void> {
    await this.#client.subscribe({ streamId: this.streamId, subscription });
    await settle();
  }

  async unsubscribe(subscriptionId: number): Promise<void> {
    await this.#client.unsubscribe({ streamId: this.streamId, subscriptionId });
  }

  /** Resolves when this many messages came. */
  async untilCount(count: number): Promise<void> {
    for (let turn = 0; turn < maxTurnCount && this.messages.length < count; turn += 1) await settle();
    if (this.messages.length < count) throw new Error(`${this.messages.length} messages came, not ${count}`);
  }

  of(id: number): readonly OpenResponse[] {
    return this.messages.filter(({ subscriptionId }) => subscriptionId === id);
  }

  positionOf(id: number): string {
    return this.of(id).at(-1)?.position ?? "";
  }

  fleetUpdates(id = 1): readonly FleetUpdate[] {
    return this.of(id).map(({ update }) => fromBinary(FleetUpdateSchema, update));
  }

  clusterUpdates(id = 1): readonly ClusterUpdate[] {
    return this.of(id).map(({ update }) => fromBinary(ClusterUpdateSchema, update));
  }

  changesUpdates(id = 1): readonly ChangesUpdate[] {
    return this.of(id).map(({ update }) => fromBinary(ChangesUpdateSchema, update));
  }

  /** The fleet as the page has it after all that came. */
  fleet(id = 1): { readonly clusters: ReadonlyMap<string, FleetCluster>; readonly incidents: readonly SeenIncident[] } {
    const clusters = new Map<string, FleetCluster>();
    let incidents: readonly Incident[] = [];
    for (const { isSnapshot, update } of this.of(id)) {
      const message = fromBinary(FleetUpdateSchema, update);
      if (isSnapshot) clusters.clear();
      for (const cluster of message.clusters) clusters.set(cluster.id, mergeCluster(clusters.get(cluster.id), cluster));
      for (const removed of message.removedIds) clusters.delete(removed);
      incidents = message.incidents?.incidents ?? incidents;
    }
    return { clusters, incidents: incidents.map((incident) => withClusters(incident, [...clusters.values()])) };
  }

  /** Each cluster's state, as `a:live b:stale`, in order of their ids. */
  states(id = 1): string {
    const shown = [...this.fleet(id).clusters.values()].map(
      ({ id: name, connection }) => `${name}:${connection?.state}`,
    );
    return shown.sort().join(" ");
  }

  /** Every byte that was sent, as text in which an id would be found. */
  allText(): string {
    const decoder = new TextDecoder("latin1");
    return this.messages.map((message) => decoder.decode(toBinary(OpenResponseSchema, message))).join("\n");
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the tab is closed"));
    this.resume();
    await settle();
  }

  async #read(subscriptions: SubscriptionInit[]): Promise<void> {
    try {
      for await (const message of this.#client.open({ subscriptions }, { signal: this.#closing.signal })) {
        this.messages.push(create(OpenResponseSchema, message));
        this.cameMs.push(this.#clock.nowMs());
        if (this.#isPaused) await new Promise<void>((resolve) => (this.#resume = resolve));
      }
    } catch (reason) {
      if (!this.#closing.signal.aborted) this.failure = reason;
    } finally {
      this.isEnded = true;
    }
  }
}

/** Somebody who looks. */
export class TestViewer {
  readonly client: Client<typeof PageService>;
  readonly #clock: ManualClock;

  constructor(client: Client<typeof PageService>, clock: ManualClock) {
    this.client = client;
    this.#clock = clock;
  }

  async open(...subscriptions: SubscriptionInit[]): Promise<TestStream> {
    const stream = new TestStream(this.client, this.#clock, subscriptions);
    await settle();
    await settle();
    return stream;
  }
}

/** A subscription to the fleet. */
export function fleetView(id = 1, position = ""): SubscriptionInit {
  return { id, position, view: { case: "fleet", value: {} } };
}

export function clusterView(clusterId: string, id = 1, position = ""): SubscriptionInit {
  return { id, position, view: { case: "cluster", value: { clusterId } } };
}

export function changesView(
  filter: Partial<Record<"clusterIds" | "namespaces" | "resources", string[]>> = {},
  id = 1,
  position = "",
): SubscriptionInit {
  return { id, position, view: { case: "changes", value: filter } };
}
