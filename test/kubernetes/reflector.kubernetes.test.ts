// SPDX-License-Identifier: Apache-2.0
// The reading side of the Kubernetes client against a real kube-apiserver.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isCancellation } from "../../src/base/abort.ts";
import { silentLogger } from "../../src/base/log.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { textOf } from "../../src/kinds/fields.ts";
import { Discovery } from "../../src/kube/discovery/discovery.ts";
import type { Served } from "../../src/kube/discovery/served-resource.ts";
import { KubeError } from "../../src/kube/kube-error.ts";
import type { KubeSource } from "../../src/kube/kube-source.ts";
import { probeOnce } from "../../src/kube/probe-once.ts";
import { defaultReflectorSettings, type ReflectorSettings } from "../../src/kube/reflector/reflector-options.ts";
import { runReflector } from "../../src/kube/reflector/run-reflector.ts";
import { ListedNamespaces } from "../../src/kube/reflector/scope/listed-namespaces.ts";
import type { NamespaceFilter } from "../../src/kube/reflector/scope/namespace-filter.ts";
import { runScoped } from "../../src/kube/reflector/scope/run-scoped.ts";
import { FoldedObjects } from "../../src/kube/reflector/testing/folded-objects.ts";
import type { ReflectorEvent } from "../../src/kube/reflector-event.ts";
import { type Gvr, gvrText } from "../../src/model/gvr.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { HttpsSource } from "../support/kube-https-source.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const configMaps: Gvr = { group: "", version: "v1", resource: "configmaps" };
const namespaceResource: Gvr = { group: "", version: "v1", resource: "namespaces" };

/** Loops of one test, ended with it. */
class Running implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #loops: Promise<void>[] = [];

  add(loop: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stop;
    this.#loops.push(
      loop(signal).catch((reason: unknown) => {
        if (!isCancellation(signal, reason)) throw reason;
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await Promise.all(this.#loops);
  }
}

/** What a reflector told. */
class Told {
  readonly events: ReflectorEvent[] = [];
  readonly folded = new FoldedObjects();

  readonly sink = (event: ReflectorEvent): void => {
    this.events.push(event);
    this.folded.take(event);
  };

  get names(): string[] {
    return [...this.folded.objects.keys()].filter((name) => !name.endsWith("/kube-root-ca.crt")).sort();
  }

  kinds(...kinds: readonly ReflectorEvent["kind"][]): string[] {
    return this.events.map(({ kind }) => kind).filter((kind) => kinds.includes(kind));
  }
}

const shared = { clock: systemClock, log: silentLogger };

function reflect(
  running: Running,
  source: KubeSource,
  of: Gvr,
  settings: Partial<ReflectorSettings> = {},
  namespace?: string,
): Told {
  const told = new Told();
  const random = createSeededRandom("real");
  const whole = { ...defaultReflectorSettings, ...settings };
  running.add((signal) =>
    runReflector({ ...shared, random, source, resource: of, namespace, settings: whole, sink: told.sink }, signal),
  );
  return told;
}

function grantNamespace(admin: KubeClient, namespace: string, user: string): Promise<unknown[]> {
  const api = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }];
  const subjects = [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }];
  const roleRef = { kind: "Role", name: "reader", apiGroup: "rbac.authorization.k8s.io" };
  return Promise.all([
    admin.ask("POST", `${api}/roles`, { body: { metadata: { name: "reader" }, rules } }),
    admin.ask("POST", `${api}/rolebindings`, { body: { metadata: { name: `${user}-reads` }, subjects, roleRef } }),
  ]);
}

async function grantCluster(
  admin: KubeClient,
  user: string,
  rule: { resources: string[]; verbs: string[] },
): Promise<void> {
  const api = "/apis/rbac.authorization.k8s.io/v1";
  const name = `${user}-${rule.resources.join("-")}`;
  await admin.ask("POST", `${api}/clusterroles`, {
    body: { metadata: { name }, rules: [{ apiGroups: [""], ...rule }] },
  });
  const subjects = [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }];
  const roleRef = { kind: "ClusterRole", name, apiGroup: "rbac.authorization.k8s.io" };
  await admin.ask("POST", `${api}/clusterrolebindings`, { body: { metadata: { name }, subjects, roleRef } });
}

describeOnKit("list, watch, discovery and probe", [], (kit) => {
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  const sources: HttpsSource[] = [];

  const connect = (user = "admin", to = cluster): HttpsSource => {
    const source = new HttpsSource({ url: to.url, ca: readFileSync(to.caFile, "utf8"), token: to.tokenOf(user) });
    sources.push(source);
    return source;
  };
  const createNamespace = (name: string): Promise<unknown> =>
    admin.ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
  const create = (namespace: string, name: string): Promise<unknown> =>
    admin.ask("POST", `/api/v1/namespaces/${namespace}/configmaps`, {
      body: { metadata: { name }, data: { text: name } },
    });
  const remove = (namespace: string, name: string): Promise<unknown> =>
    admin.ask("DELETE", `/api/v1/namespaces/${namespace}/configmaps/${name}`);

  beforeAll(async () => {
    cluster = await startCluster({ kit, users: [{ name: "parts" }, { name: "poller" }] });
    admin = cluster.connect();
  });

  afterAll(async () => {
    for (const source of sources) source[Symbol.dispose]();
    await cluster.stop();
  });

  test("[KU10][KU11] WatchList: what is there, changes, a cut, and what happened meanwhile; never a LIST", async () => {
    await createNamespace("watched");
    await create("watched", "a");
    const source = connect();
    await using running = new Running();
    const told = reflect(
      running,
      source,
      configMaps,
      { backoff: { firstMs: 200, factor: 2, capMs: 1_000, stableMs: 1_000 } },
      "watched",
    );
    const start = ["listing", "listed", "current"];
    await eventually(() => expect(told.kinds("listing", "listed", "current")).toEqual(start));
    expect(told.names).toEqual(["watched/a"]);
    await create("watched", "b");
    await eventually(() => expect(told.names).toEqual(["watched/a", "watched/b"]));
    source.cut();
    await remove("watched", "a");
    await create("watched", "c");
    await eventually(() => expect(told.names).toEqual(["watched/b", "watched/c"]));
    expect(source.sent.every(({ query }) => query["watch"] === "true")).toBe(true);
    expect(source.sent.slice(1).every(({ query }) => query["resourceVersion"] !== undefined)).toBe(true);
    const listed = told.events.find(({ kind }) => kind === "object");
    expect(JSON.stringify(listed)).not.toContain("managedFields");
  });

  test("[KU11] in pages: all of it at one resourceVersion, then the watch", async () => {
    await createNamespace("paged");
    const names = Array.from({ length: 12 }, (_, nth) => `p${String(nth).padStart(2, "0")}`);
    await Promise.all(names.map((name) => create("paged", name)));
    const real = connect();
    const source: KubeSource = {
      request: (request, signal) =>
        request.query?.["sendInitialEvents"] === "true"
          ? Promise.reject(new KubeError("refused", "no WatchList here", { status: 422 }))
          : real.request(request, signal),
    };
    await using running = new Running();
    const told = reflect(running, source, configMaps, { pageSize: 5 }, "paged");
    await eventually(() => expect(told.kinds("listed")).toEqual(["listed"]));
    expect(told.names).toEqual(names.map((name) => `paged/${name}`));
    expect(told.events.find(({ kind }) => kind === "listed")).toMatchObject({ objectCount: 12 });
    expect(real.sent.filter(({ query }) => "limit" in query)).toHaveLength(3);
    await remove("paged", "p00");
    await eventually(() => expect(told.names).toHaveLength(11));
  });

  test("[KU12] after a compaction the position is gone: it lists again, and what went meanwhile is gone", async () => {
    // Leases have no cache in this server, so their history ends where etcd's does, and etcd's ends a second or two
    // ago. No other test stands on it: the pages of a list may take longer.
    const apiserverFlags = ["--etcd-compaction-interval=1s", "--watch-cache-sizes=leases.coordination.k8s.io#0"];
    await using forgetful = await startCluster({ kit, apiserverFlags });
    const writer = forgetful.connect();
    await writer.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "expired" } } });
    const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases" };
    const path = "/apis/coordination.k8s.io/v1/namespaces/expired/leases";
    for (const name of ["a", "b"]) await writer.ask("POST", path, { body: { metadata: { name } } });
    const real = connect("admin", forgetful);
    let isCut = false;
    const source: KubeSource = {
      request: (request, signal) =>
        isCut ? Promise.reject(new KubeError("tcp", "cut by the test")) : real.request(request, signal),
    };
    await using running = new Running();
    const settings = { retryLimit: 100, backoff: { firstMs: 100, factor: 2, capMs: 500, stableMs: 1_000 } };
    const told = reflect(running, source, leases, settings, "expired");
    await eventually(() => expect(told.folded.listedCount).toBe(1));
    expect(told.names).toHaveLength(2);
    // At or behind the position of the reflector, which is that of its list.
    const position = textOf(await writer.ask("GET", path), "metadata", "resourceVersion");
    isCut = true;
    real.cut();
    await writer.ask("DELETE", `${path}/a`);
    const watchPath = `${path}?watch=true&timeoutSeconds=1&resourceVersion=${position}`;
    await eventually(async () => expect(JSON.stringify(await writer.send("GET", watchPath))).toContain("410"));
    isCut = false;
    await eventually(() => expect(told.names).toEqual(["expired/b"]));
    expect(told.folded.listedCount).toBe(2);
    const faults = told.events.flatMap((event) => (event.kind === "failed" ? [event.error.fault] : []));
    expect(new Set(faults)).toEqual(new Set(["tcp"]));
  });

  test("[KU18] a definition that comes and goes is told without a restart", async () => {
    const served: Served[] = [];
    const source = connect();
    const discovery = new Discovery({
      ...shared,
      source,
      random: createSeededRandom(1),
      intervalMs: 2_000,
      requestTimeoutMs: 5_000,
      onServed: (each) => void served.push(each),
    });
    await using running = new Running();
    running.add((signal) => discovery.run(signal));
    const has = (text: string): boolean => served.at(-1)?.resources.some((each) => gvrText(each) === text) ?? false;
    await eventually(() => expect(has("apps/v1/deployments")).toBe(true));
    expect(has("v1/pods")).toBe(true);
    expect(served.at(-1)?.resources.find(({ resource }) => resource === "nodes")).toMatchObject({
      isNamespaced: false,
      kind: "Node",
    });
    expect(has("example.com/v1/boats")).toBe(false);
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const body = {
      metadata: { name: "boats.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "boats", kind: "Boat" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    };
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await admin.ask("POST", path, { body });
    discovery.askNow();
    await eventually(() => expect(has("example.com/v1/boats")).toBe(true));
    const boats = { group: "example.com", version: "v1", resource: "boats" };
    await admin.ask("POST", "/apis/example.com/v1/namespaces/default/boats", {
      body: { apiVersion: "example.com/v1", kind: "Boat", metadata: { name: "a" } },
    });
    const told = reflect(running, connect(), boats);
    await eventually(() => expect(told.names).toEqual(["default/a"]));
    await admin.ask("DELETE", `${path}/boats.example.com`);
    discovery.askNow();
    await eventually(() => expect(has("example.com/v1/boats")).toBe(false));
    await eventually(() => expect(told.names).toEqual([]));
    await eventually(() => expect(source.sent.some(({ status }) => status === 304)).toBe(true));
  });

  test("[KU19][Q-24] 403 for the whole: namespace by namespace by real Roles, one that comes later included", async () => {
    for (const name of ["ours", "theirs"]) {
      await createNamespace(name);
      await create(name, "a");
    }
    await grantCluster(admin, "parts", { resources: ["namespaces"], verbs: ["list", "watch"] });
    await grantNamespace(admin, "ours", "parts");
    await using running = new Running();
    const source = connect("parts");
    const told = scoped(running, source, {}, { refusalLifeMs: 500 });
    await eventually(() => expect(told.names).toEqual(["ours/a"]));
    await eventually(() => expect(told.kinds("listing", "listed")).toEqual(["listing", "listed"]));
    await createNamespace("later");
    await create("later", "b");
    await grantNamespace(admin, "later", "parts");
    await eventually(() => expect(told.names).toEqual(["later/b", "ours/a"]));
  });

  test("[KU19][N-59] exclusion by field selector: the server sends nothing of excluded namespaces, of any resource", async () => {
    for (const name of ["kept", "left-out"]) {
      await createNamespace(name);
      await create(name, "a");
    }
    const source = connect();
    await using running = new Running();
    const told = scoped(running, source, { exclude: ["left-out", "kube-system"] });
    await eventually(() => expect(told.names).toContain("kept/a"));
    await create("left-out", "b");
    await create("kept", "b");
    await eventually(() => expect(told.names).toContain("kept/b"));
    expect(told.names.filter((name) => /^(left-out|kube-system)\//.test(name))).toEqual([]);
    const paths = [
      "/api/v1/pods",
      "/apis/apps/v1/deployments",
      "/apis/discovery.k8s.io/v1/endpointslices",
      "/apis/rbac.authorization.k8s.io/v1/roles",
    ];
    for (const path of paths) {
      expect(await admin.send("GET", `${path}?fieldSelector=metadata.namespace!%3Dleft-out`)).toMatchObject({
        status: 200,
      });
    }
  });

  test("[KU16] watch refused, list allowed: it polls", async () => {
    await grantCluster(admin, "poller", { resources: ["configmaps"], verbs: ["list"] });
    await createNamespace("polled");
    await create("polled", "a");
    await using running = new Running();
    const source = connect("poller");
    const told = reflect(
      running,
      source,
      configMaps,
      { syncIntervalMs: 300, minSyncIntervalMs: 200, maxSyncIntervalMs: 500 },
      "polled",
    );
    await eventually(() => {
      expect(told.events.find(({ kind }) => kind === "current")).toMatchObject({ mode: "poll" });
    });
    expect(told.names).toEqual(["polled/a"]);
    await create("polled", "b");
    await remove("polled", "a");
    await eventually(() => expect(told.names).toEqual(["polled/b"]));
    expect(source.sent.filter(({ query }) => query["watch"] === "true")).toHaveLength(1);
  });

  test("[KU20] the probe is answered, also to a user without rights", async () => {
    const outcome = await probeOnce(connect("poller"), 5_000, new AbortController().signal);
    expect(outcome).toEqual({ fault: "", error: "" });
  });

  function scoped(
    running: Running,
    source: KubeSource,
    filter: NamespaceFilter,
    more: { refusalLifeMs?: number } = {},
  ): Told {
    const told = new Told();
    const namespaces = new ListedNamespaces();
    const settings = defaultReflectorSettings;
    const random = createSeededRandom("scoped");
    const options = { ...shared, source, random, settings };
    running.add((signal) =>
      runReflector({ ...options, resource: namespaceResource, sink: (event) => namespaces.take(event) }, signal),
    );
    running.add((signal) =>
      runScoped(
        { ...options, ...more, resource: configMaps, isNamespaced: true, filter, namespaces, sink: told.sink },
        signal,
      ),
    );
    return told;
  }
});
