// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { SimApiServer } from "../../../../test/support/sim/sim-api-server.ts";
import type { SimRequest } from "../../../../test/support/sim/sim-api-server-request.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import type { ReflectorEvent } from "../../reflector-event.ts";
import { defaultReflectorSettings } from "../reflector-options.ts";
import { runReflector } from "../run-reflector.ts";
import { FoldedObjects } from "../testing/folded-objects.ts";
import { pod, pods } from "../testing/reflector-rig.ts";
import { ListedNamespaces } from "./listed-namespaces.ts";
import type { NamespaceFilter } from "./namespace-filter.ts";
import { runScoped } from "./run-scoped.ts";

const namespacesResource = { group: "", version: "v1", resource: "namespaces", kind: "Namespace", isNamespaced: false };

class ScopedRig implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly requests: SimRequest[] = [];
  readonly server = new SimApiServer({
    clock: this.clock,
    random: createSeededRandom(1),
    onRequest: (request) => this.requests.push(request),
  });
  readonly namespaces = new ListedNamespaces();
  readonly events: ReflectorEvent[] = [];
  readonly folded = new FoldedObjects();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  openCount = 0;
  mostOpen = 0;

  constructor(names: readonly string[]) {
    this.server.serve(pods);
    this.server.serve(namespacesResource);
    for (const name of names) this.addNamespace(name);
  }

  addNamespace(name: string): void {
    this.server.put(namespacesResource, { metadata: { name } });
  }

  /** As the namespace controller does: the content first, then the namespace. */
  removeNamespace(name: string): void {
    for (const object of this.server.list(pods))
      if (object.namespace === name) this.server.delete(pods, name, object.name);
    this.server.delete(namespacesResource, "", name);
  }

  start(filter: NamespaceFilter = {}, resource = pods as typeof pods | typeof namespacesResource): void {
    const { clock, server, namespaces } = this;
    const shared = { source: server, clock, log: silentLogger, settings: { ...defaultReflectorSettings, pageSize: 2 } };
    const sink = async (event: ReflectorEvent): Promise<void> => {
      this.openCount += 1;
      this.mostOpen = Math.max(this.mostOpen, this.openCount);
      await Promise.resolve();
      this.events.push(event);
      this.folded.take(event);
      this.openCount -= 1;
    };
    const { isNamespaced } = resource;
    this.#running.push(
      runReflector(
        {
          ...shared,
          random: createSeededRandom(2),
          resource: namespacesResource,
          sink: (event) => namespaces.take(event),
        },
        this.#stop.signal,
      ),
      runScoped(
        { ...shared, random: createSeededRandom(3), resource, isNamespaced, filter, namespaces, sink },
        this.#stop.signal,
      ),
    );
    for (const running of this.#running) running.catch(() => undefined);
  }

  get podRequests(): SimRequest[] {
    return this.requests.filter(({ gvr }) => gvr?.resource === "pods");
  }

  get truth(): ReadonlyMap<string, string> {
    return new Map(
      this.server.list(pods).map(({ namespace, name, resourceVersion }) => [`${namespace}/${name}`, resourceVersion]),
    );
  }

  kinds(...kinds: readonly ReflectorEvent["kind"][]): string[] {
    return this.events.map(({ kind }) => kind).filter((kind) => kinds.includes(kind));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("over"));
    for (const running of this.#running) await expect(running).rejects.toThrow("over");
    expect([this.clock.timerCount, this.server.openWatchCount]).toEqual([0, 0]);
  }
}

/** Pods may be listed in these namespaces only. */
function only(...names: readonly string[]): (request: SimRequest) => boolean {
  return ({ gvr, namespace }) => gvr?.resource !== "pods" || names.includes(namespace);
}

describe("namespace by namespace", () => {
  test("[KU19][Q-24] a kind that may not be listed as a whole is listed in each namespace, and `listed` once", async () => {
    await using rig = new ScopedRig(["bank", "shop"]);
    rig.server.isAllowed = only("bank", "shop");
    for (const name of ["a", "b", "c"]) rig.server.put(pods, pod(name, "shop"));
    rig.server.put(pods, pod("d", "bank"));
    rig.start();
    await rig.clock.advance(1_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.kinds("listing", "listed", "failed")).toEqual(["listing", "listed"]);
    expect(rig.events.find(({ kind }) => kind === "listed")).toMatchObject({ objectCount: 4 });
    rig.server.put(pods, pod("e", "bank"));
    rig.server.delete(pods, "shop", "a");
    await rig.clock.advance(1_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.kinds("current").length).toBeGreaterThan(0);
    expect(rig.mostOpen).toBe(1);
  });

  test("[KU19] namespaces that come later are followed; what was in one that went is gone", async () => {
    await using rig = new ScopedRig(["shop"]);
    rig.server.isAllowed = only("shop", "later");
    rig.server.put(pods, pod("a", "shop"));
    rig.start();
    await rig.clock.advance(1_000);
    rig.addNamespace("later");
    rig.server.put(pods, pod("b", "later"));
    await rig.clock.advance(1_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    rig.removeNamespace("shop");
    await rig.clock.advance(1_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.kinds("listing", "listed")).toEqual(["listing", "listed"]);
  });

  test("[KU12][KU19] a namespace that lists anew tells the deletes that it missed", async () => {
    await using rig = new ScopedRig(["bank", "shop"]);
    rig.server.isAllowed = only("bank", "shop");
    for (const name of ["a", "b", "c"]) rig.server.put(pods, pod(name, "shop"));
    rig.start();
    await rig.clock.advance(20_000);
    rig.server.setState("down");
    rig.server.delete(pods, "shop", "b");
    rig.server.compact();
    await rig.clock.advance(1_000);
    rig.server.setState("up");
    await rig.clock.advance(30_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.events.filter(({ kind }) => kind === "deleted")).toMatchObject([
      { object: { metadata: { name: "b", namespace: "shop" } } },
    ]);
    expect(rig.kinds("listing", "listed")).toEqual(["listing", "listed"]);
  });

  test("[KU19][Q-24] namespaces that are refused are told, hold up none of the others, and are left in peace", async () => {
    await using rig = new ScopedRig(["bank", "shop", "vault"]);
    rig.server.isAllowed = only("bank", "shop");
    rig.server.put(pods, pod("a", "shop"));
    rig.server.put(pods, pod("hidden", "vault"));
    rig.start();
    await rig.clock.advance(300_000);
    expect([...rig.folded.objects.keys()]).toEqual(["shop/a"]);
    expect(rig.kinds("listed")).toHaveLength(1);
    expect(rig.events.filter(({ kind }) => kind === "failed")).toMatchObject([{ error: { fault: "forbidden" } }]);
    expect(rig.podRequests.filter(({ namespace }) => namespace === "vault")).toHaveLength(2);
    rig.server.isAllowed = only("bank", "shop", "vault");
    await rig.clock.advance(700_000);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU19][L4] a kind that is refused everywhere is never told as empty", async () => {
    await using rig = new ScopedRig(["bank", "shop"]);
    rig.server.isAllowed = only();
    rig.start();
    await rig.clock.advance(100_000);
    expect(rig.kinds("listed")).toEqual([]);
    expect(rig.kinds("failed").length).toBeGreaterThan(0);
  });

  test("[KU19] where the namespaces may not be listed either, that is told", async () => {
    await using rig = new ScopedRig(["shop"]);
    rig.server.isAllowed = () => false;
    rig.start();
    await rig.clock.advance(60_000);
    expect(rig.kinds("listing", "listed")).toEqual([]);
    expect(rig.events[0]).toMatchObject({ kind: "failed", error: { fault: "forbidden" } });
  });

  test("[KU19][L14] a kind that is refused while the namespaces do not answer is told as refused, not as being listed for ever", async () => {
    await using rig = new ScopedRig(["bank"]);
    rig.server.isAllowed = only();
    rig.server.faults.add({
      fault: { kind: "status", status: 500 },
      matches: ({ gvr }) => gvr?.resource === "namespaces",
    });
    rig.start();
    await rig.clock.advance(0);
    expect(rig.kinds("failed", "listed")).toEqual([]);
    await rig.clock.advance(defaultReflectorSettings.syncIntervalMs);
    expect(rig.events.at(-1)).toMatchObject({ kind: "failed", error: { fault: "forbidden" } });
    expect(rig.kinds("listed")).toEqual([]);
  });

  test("[KU19][L4] rights that shrink remove nothing; rights that return bring the whole back", async () => {
    await using rig = new ScopedRig(["bank", "shop"]);
    rig.server.put(pods, pod("a", "shop"));
    rig.server.put(pods, pod("b", "bank"));
    rig.start();
    await rig.clock.advance(20_000);
    rig.server.isAllowed = only("shop");
    rig.server.breakWatches("reset");
    await rig.clock.advance(60_000);
    expect([...rig.folded.objects.keys()].sort()).toEqual(["bank/b", "shop/a"]);
    rig.server.delete(pods, "bank", "b");
    rig.server.isAllowed = () => true;
    await rig.clock.advance(1_500_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.podRequests.at(-1)?.namespace).toBe("");
  });
});

describe("filters", () => {
  test("[KU19][N-59] included namespaces are asked for one by one, and nothing else is", async () => {
    await using rig = new ScopedRig(["bank", "shop", "vault"]);
    for (const name of ["bank", "shop", "vault"]) rig.server.put(pods, pod("a", name));
    rig.start({ include: ["bank", "shop"] });
    await rig.clock.advance(60_000);
    expect([...rig.folded.objects.keys()].sort()).toEqual(["bank/a", "shop/a"]);
    expect(new Set(rig.podRequests.map(({ namespace }) => namespace))).toEqual(new Set(["bank", "shop"]));
  });

  test("[KU19][N-59] excluded namespaces are left out by the server: each request says so, and none is for them", async () => {
    await using rig = new ScopedRig(["bank", "shop", "vault"]);
    for (const name of ["bank", "shop", "vault"]) rig.server.put(pods, pod("a", name));
    rig.start({ exclude: ["vault", "bank"] });
    await rig.clock.advance(1_000);
    rig.server.put(pods, pod("b", "vault"));
    rig.server.put(pods, pod("c", "shop"));
    await rig.clock.advance(1_000);
    expect([...rig.folded.objects.keys()].sort()).toEqual(["shop/a", "shop/c"]);
    for (const { query, namespace } of rig.podRequests) {
      expect([query["fieldSelector"], namespace]).toEqual(["metadata.namespace!=vault,metadata.namespace!=bank", ""]);
    }
  });

  test("[KU19][N-59] exclusion holds namespace by namespace too", async () => {
    await using rig = new ScopedRig(["bank", "shop", "vault"]);
    rig.server.isAllowed = only("bank", "shop", "vault");
    for (const name of ["bank", "shop", "vault"]) rig.server.put(pods, pod("a", name));
    rig.start({ exclude: ["vault"] });
    await rig.clock.advance(60_000);
    expect([...rig.folded.objects.keys()].sort()).toEqual(["bank/a", "shop/a"]);
    expect(rig.podRequests.filter(({ namespace }) => namespace === "vault")).toEqual([]);
  });

  test.each([
    [{ exclude: ["vault"] }, ["/bank", "/shop"]],
    [{ include: ["vault", "shop"] }, ["/shop", "/vault"]],
    [{ include: ["vault", "shop"], exclude: ["vault"] }, ["/shop"]],
    [{ include: [] }, []],
  ] satisfies [NamespaceFilter, string[]][])(
    "[N-59] %j holds for the namespaces themselves",
    async (filter, expected) => {
      await using rig = new ScopedRig(["bank", "shop", "vault"]);
      rig.start(filter, namespacesResource);
      await rig.clock.advance(1_000);
      expect([...rig.folded.objects.keys()].sort()).toEqual(expected);
      expect(rig.kinds("listed")).toEqual(["listed"]);
    },
  );
});
