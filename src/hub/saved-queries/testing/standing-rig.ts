// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../../base/abort.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import type { Store } from "../../../store/store.ts";
import { objects } from "../../../store/tables.ts";
import type { SendWebhook, WebhookRequest } from "../../health/webhook.ts";
import { standingQueryKey, standingRunKey } from "../query-places.ts";
import { StandingQueries } from "../standing-queries.ts";
import { type NewStandingQuery, StandingQueryDefinitions } from "../standing-query-definitions.ts";
import type { QueryOwner, StandingQueryRecord } from "../standing-query-record.ts";
import { fromStateBody, initialStandingState, type StandingQueryState, stateRow } from "../standing-query-state.ts";
import { FakeFleet } from "./fake-fleet-queries.ts";
import { openQueryStore, RecordedAudit, testActor } from "./query-store.ts";

export const ann: QueryOwner = { user: "ann", groups: ["flotilla:viewers", "system:authenticated"] };

/** Shared with the receivers of the tests. */
export const testSecret = "0123456789abcdef";

/** A body as receivers read it. */
export interface ReceivedBody {
  readonly kind: string;
  readonly delivery: string;
  readonly total: number;
  readonly previousTotal?: number;
  readonly isExact: boolean;
  readonly entered?: {
    readonly count: number;
    readonly rows: readonly { readonly id: string; readonly name?: string }[];
  };
  readonly left?: { readonly count: number; readonly rows: readonly { readonly id: string; readonly name?: string }[] };
}

/** A hub's standing queries over a fake fleet. `stop` and `start` are a restart of the hub on the same store. */
export class StandingRig {
  readonly clock = new ManualClock();
  readonly fleet = new FakeFleet();
  readonly attempts: WebhookRequest[] = [];
  /** Bodies of accepted deliveries. */
  readonly received: ReceivedBody[] = [];
  /** The metrics, by name and outcome. */
  readonly counts: Record<string, number> = {};
  /** The status that the receiver answers, or a failure. */
  answer: () => Promise<number> = async () => 204;
  /** Replaces the receiver. */
  send: SendWebhook | undefined;
  ownerFault: string | undefined;
  unread: ReadonlySet<string> = new Set();
  readonly store: Store;
  readonly audit: RecordedAudit;
  readonly definitions: StandingQueryDefinitions;
  #stopping: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  #runCount = 0;

  private constructor(store: Store, clock: ManualClock) {
    this.clock = clock;
    this.store = store;
    this.audit = new RecordedAudit(store);
    this.definitions = new StandingQueryDefinitions({ store, audit: this.audit, clock });
  }

  static async open(): Promise<StandingRig> {
    const clock = new ManualClock();
    const rig = new StandingRig(await openQueryStore(clock), clock);
    await rig.start();
    return rig;
  }

  async start(): Promise<void> {
    this.#runCount += 1;
    const holder = `hub run-${this.#runCount}`;
    const outcome = await this.store.leases.acquire("fleet-tasks", holder, 86_400_000_000);
    if (outcome.kind !== "held") throw new Error("the lease is taken");
    const stopping = new AbortController();
    this.#stopping = stopping;
    const queries = new StandingQueries({
      store: this.store,
      audit: this.audit,
      clock: this.clock,
      random: createSeededRandom(`run ${this.#runCount}`),
      log: silentLogger,
      queriesOf: (subject) => this.fleet.queriesOf(subject),
      findOwnerFault: () => this.ownerFault,
      unreadClusters: () => this.unread,
      counters: {
        evaluations: { add: ({ outcome }) => this.#count(`evaluations ${outcome}`) },
        deliveries: { add: ({ outcome }) => this.#count(`deliveries ${outcome}`) },
      },
      send: (request, signal) => (this.send ?? this.#receive)(request, signal),
    });
    const held = { fence: { lease: "fleet-tasks", epoch: outcome.epoch }, signal: stopping.signal };
    this.#running = queries.run(held).catch((reason: unknown) => {
      if (!isCancellation(stopping.signal, reason)) throw reason;
    });
    await settle();
  }

  async stop(): Promise<void> {
    this.#stopping?.abort(new Error("done"));
    await this.#running;
    await this.store.leases.release("fleet-tasks", `hub run-${this.#runCount}`);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.store.close();
  }

  /** Creates a standing query of ann and waits until it was evaluated. */
  async create(wanted: Partial<NewStandingQuery> = {}, owner: QueryOwner = ann): Promise<StandingQueryRecord> {
    const record = await this.definitions.create(
      {
        name: "broken",
        query: "status=unhealthy",
        description: "",
        condition: { on: "enterOrLeave" },
        webhookUrl: "https://hooks.example.com/x",
        secret: testSecret,
        intervalMs: 10_000,
        ...wanted,
      },
      owner,
      testActor,
    );
    await this.clock.advance(0);
    await settle();
    return record;
  }

  async state(record: StandingQueryRecord): Promise<StandingQueryState> {
    const row = await this.store.get(objects, standingRunKey(record.id, stateRow));
    return row === undefined ? initialStandingState : fromStateBody(record.id, row.value.body);
  }

  async exists(record: StandingQueryRecord): Promise<boolean> {
    return (await this.store.get(objects, standingQueryKey(record.id))) !== undefined;
  }

  /** Sets the rows and lets the time of two evaluations pass. */
  async change(...paths: readonly string[]): Promise<void> {
    this.fleet.set(...paths);
    await this.clock.advance(20_000);
  }

  /** `+a -b` for each accepted delivery: the names of rows that entered and left. */
  get summary(): readonly string[] {
    return this.received.map(({ kind, entered, left }) => {
      const names = (rows: NonNullable<ReceivedBody["left"]>["rows"] = []): readonly string[] =>
        rows.map(({ id, name = id }) => name);
      const changes = [
        ...names(entered?.rows).map((name) => `+${name}`),
        ...names(left?.rows).map((name) => `-${name}`),
      ];
      return [...(kind === "changed" ? [] : [kind]), ...changes].join(" ");
    });
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  readonly #receive: SendWebhook = async (request) => {
    this.attempts.push(request);
    const status = await this.answer();
    if (status === 204) this.received.push(JSON.parse(request.body) as ReceivedBody);
    return status;
  };
}
