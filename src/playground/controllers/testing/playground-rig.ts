// SPDX-License-Identifier: Apache-2.0
import { type ApiServer, openApiServer } from "../../../apiserver/api-server.ts";
import { type DraftObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { textOf } from "../../../apiserver/json/json-fields.ts";
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import { createSubject } from "../../../model/subject.ts";
import { createStore } from "../../../store/create-store.ts";
import type { Store } from "../../../store/store.ts";
import type { StoreEngine } from "../../../store/store-engine.ts";
import { MemoryEngine } from "../../../store/testing/memory-engine.ts";
import { makeNode } from "../make-node.ts";
import { createPlaygroundClient, type PlaygroundClient } from "../playground-client.ts";
import { isActive, isReady } from "../pod-facts.ts";
import { runPlaygroundControllers } from "../run-playground-controllers.ts";

/** A cluster in memory with a manual clock, and controllers that can be stopped and restarted. */
export class PlaygroundRig {
  readonly clock: ManualClock;
  readonly server: ApiServer;
  readonly client: PlaygroundClient;
  readonly #store: Store;
  #ending = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(clock: ManualClock, store: Store, server: ApiServer) {
    this.clock = clock;
    this.#store = store;
    this.server = server;
    this.client = createPlaygroundClient(server.cluster, createSubject({ user: "system:playground" }));
  }

  /**
   * Opens a rig with the system namespaces, the namespace `shop` for the test's objects, and these nodes. Controllers
   * run.
   */
  static async open({ nodeCount = 2 }: { readonly nodeCount?: number } = {}): Promise<PlaygroundRig> {
    const clock = new ManualClock();
    const engine = new MemoryEngine({ clock, storeId: "playground" });
    const store = await createStore(createInThreadPort<StoreEngine>(engine), { clock });
    const server = await openApiServer({
      store,
      cluster: "test",
      clock,
      random: createSeededRandom("server"),
      log: silentLogger,
      findUser: () => Promise.resolve(undefined),
    });
    const rig = new PlaygroundRig(clock, store, server);
    for (const name of ["default", "kube-system", "kube-node-lease", "shop"])
      await rig.client.create("namespaces", { metadata: { name } });
    for (let index = 0; index < nodeCount; index += 1)
      await rig.client.create("nodes", makeNode({ name: `node-${index}`, region: "eu", zone: "eu-a", index }));
    rig.start();
    await rig.quiet();
    return rig;
  }

  start(): void {
    this.#ending = new AbortController();
    const deps = { clock: this.clock, random: createSeededRandom("controllers"), log: silentLogger };
    this.#running = runPlaygroundControllers(this.client, deps, this.#ending.signal);
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error("the test stops the controllers"));
    await this.#running;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.server.close();
    await this.#store.close();
  }

  get revision(): number {
    return this.server.cluster.cache.revision;
  }

  /** Waits until the controllers have written nothing for some turns, while the clock stands still. */
  async quiet(): Promise<void> {
    const limit = this.revision + 5000;
    for (let stillCount = 0, last = this.revision; stillCount < 6; ) {
      await settle();
      if (last > limit) throw new Error("the controllers write without end while the clock stands still");
      stillCount = this.revision === last ? stillCount + 1 : 0;
      last = this.revision;
    }
  }

  /** Advances the clock step by step and waits for quiet after each. `look` is called after each step. */
  async pass(seconds: number, look?: () => void): Promise<void> {
    const untilMs = this.clock.nowMs() + seconds * 1000;
    while (this.clock.nowMs() < untilMs) {
      const due = this.clock.nextDueMs ?? untilMs;
      await this.clock.advance(Math.max(0, Math.min(due, untilMs) - this.clock.nowMs()));
      await this.quiet();
      look?.();
    }
  }

  get(resource: string, name: string, namespace = "shop"): JsonObject | undefined {
    return this.client.objects.get(resource, namespace, name);
  }

  list(resource: string, namespace = "shop"): readonly JsonObject[] {
    return this.client.objects.list(resource, namespace);
  }

  pods(namespace = "shop"): readonly JsonObject[] {
    return this.list("pods", namespace).filter(isActive);
  }

  readyPods(namespace = "shop"): readonly JsonObject[] {
    return this.pods(namespace).filter(isReady);
  }

  /** The reasons of the events in a namespace. */
  reasons(namespace = "shop"): readonly string[] {
    return this.list("events", namespace).map((event) => textOf(event, "reason"));
  }

  async change(resource: string, name: string, change: (draft: DraftObject) => void): Promise<void> {
    await this.client.update({ resource, namespace: "shop", name }, change);
    await this.quiet();
  }
}

/** A Pod template of one container. */
export function templateOf(app: string, container: DraftObject = {}): DraftObject {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: app, image: `registry.example/${app}:1.0.0`, ...container }] },
  };
}

/** A Deployment of three Pods, unless the spec overrides it. */
export function deploymentOf(name: string, spec: DraftObject = {}): DraftObject {
  return {
    metadata: { name, namespace: "shop" },
    spec: { replicas: 3, selector: { matchLabels: { app: name } }, template: templateOf(name), ...spec },
  };
}
