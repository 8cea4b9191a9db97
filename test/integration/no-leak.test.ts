// SPDX-License-Identifier: Apache-2.0
// A user of a running hub, before and after hidden objects come: no RPC and no route answers differently. The engine's
// part is proved by many random fleets in src/hub/rows/no-leak.prop.test.ts.
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ClusterStateService } from "../../src/gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { ClusterService, RowService } from "../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { bindingTo, viewerRole } from "../../src/hub/index/testing/live-rig.ts";
import { sendGrants } from "../../src/hub/page/testing/page-grants.ts";
import { PageRig } from "../../src/hub/page/testing/page-rig.ts";
import { changesView, clusterView, fleetView } from "../../src/hub/page/testing/test-viewer.ts";
import type { RbacObject } from "../../src/rbac/rbac-types.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";

/** A word that only hidden objects have. */
const hiddenWord = "topsecret";

let rig: PageRig;
let hub: TestHub;
let kube: KubeClient;
let before: ReadonlyMap<string, string>;

const grant = (...objects: readonly RbacObject[]): Promise<void> => sendGrants(rig, "east", ...objects);

/** Lets the hub's clock run while a request over the network is under way. */
async function pumped<Answer>(asking: Promise<Answer>): Promise<Answer> {
  const state = { isOver: false };
  const answering = asking.finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) await rig.clock.advance(0);
  return answering;
}

async function collect(messages: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

/** Ages, times of work and positions differ at any two moments. As in Kubernetes, positions count all changes. */
const isMoving = (key: string): boolean =>
  /MsAgo$|^tookMs$|^position$|resourceVersion|^continue$|^connection$|^session$|^revision$|^currentMsAgo$/.test(key);

function toText(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) =>
    isMoving(key) ? undefined : typeof each === "bigint" ? String(each) : each,
  );
}

const object = (name: string) => ({ cluster: "east", kind: "Pod", namespace: "vault", name });

/** Every question of the user, by name. */
function questions(): Readonly<Record<string, () => Promise<unknown>>> {
  const transport = hub.transport("ada");
  const queries: Client<typeof QueryService> = createClient(QueryService, transport);
  const rows = createClient(RowService, transport);
  const clusters = createClient(ClusterService, transport);
  const states = createClient(ClusterStateService, transport);
  const facets = ["namespace", "label.app", "status"];
  const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
  const get = (path: string) => kube.send("GET", `/fleet-api${path}`, { headers: table });
  return {
    ListObjects: () => queries.listObjects({ query: "", facets, sort: ["-status"], fullCoverage: true }),
    "ListObjects in groups": () => queries.listObjects({ query: "", groupBy: ["namespace", "label.app"] }),
    "ListObjects by a hidden word": () => queries.listObjects({ query: hiddenWord }),
    "ListObjects by an unknown kind": () => queries.listObjects({ query: "kind:Topsecrets" }),
    Facets: () => queries.facets({ query: "status=unhealthy", fields: facets }),
    Problems: () => queries.problems({ query: "", includeDegraded: true }),
    Compare: () => queries.compare({ query: "" }),
    "Compare with one cluster": () => queries.compare({ query: "", goldenCluster: "east" }),
    "Relations of a hidden object": () => queries.relations(object(hiddenWord)),
    Explain: () => queries.explain({ query: "name~s", facets }),
    Complete: () => queries.complete({ query: "label.app=", caret: 10 }),
    "Complete a namespace": () => queries.complete({ query: "ns:", caret: 3 }),
    ListAccessRulesForUser: () => queries.listAccessRulesForUser({}),
    "ExplainAccess of a hidden object": () => queries.explainAccess(object(hiddenWord)),
    "ExplainAccess of another user": () => queries.explainAccess({ ...object("web"), user: { name: "zoe" } }),
    ListViewers: () => queries.listViewers(object(hiddenWord)),
    PreviewAccess: () => queries.previewAccess({ cluster: "east", objects: [] }),
    "GetObject of a hidden object": () => queries.getObject(object(hiddenWord)),
    ListRows: () => collect(rows.listRows({ clusterId: "east" })),
    "WatchChanges once": () => collect(rows.watchChanges({ isOnce: true })),
    GetCluster: () => clusters.getCluster({ id: "east" }),
    ListClusters: () => clusters.listClusters({}),
    GetClusterState: () => collect(states.getClusterState({ clusterId: "east" })),
    "a list of the fleet API": () => get("/api/v1/pods"),
    "a page of the fleet API": () => get("/api/v1/pods?limit=1"),
    "a hidden object in the fleet API": () => get(`/api/v1/namespaces/vault/pods/${hiddenWord}`),
    "discovery of the fleet API": () => get("/apis"),
    "the page": openPage,
  };
}

/** What the page shows at first: the fleet, a cluster, changes. */
async function openPage(): Promise<unknown> {
  const stream = await rig
    .viewer("ada", "tok_ada", ["testers"])
    .open(fleetView(1), clusterView("east", 2), changesView({}, 3));
  await rig.clock.advance(3_000);
  const shown = [...stream.fleet().clusters.values()].map(({ id, objects }) => ({ id, objects }));
  const words = [hiddenWord, "vault", "web"].filter((word) => stream.allText().includes(word));
  await stream.close();
  return { shown, words };
}

async function askAll(): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const [name, ask] of Object.entries(questions())) {
    const answer = await pumped(
      ask().then(toText, (reason: unknown) => (reason instanceof Error ? reason.message : String(reason))),
    );
    answers.set(name, answer.replaceAll(/req_\w+/g, "req"));
  }
  return answers;
}

beforeAll(async () => {
  rig = await PageRig.start();
  const isRead = (verb: string): boolean => ["get", "list", "watch"].includes(verb);
  rig.authorizer.isAllowed = (_subject, request) => request.kind === "resource" && isRead(request.verb);
  hub = await openTestHub({
    services: rig.hub.services,
    routes: [rig.hub.fleetApi],
    authorizer: rig.authorizer,
    clock: rig.clock,
  });
  hub.tokens.add("ada");
  kube = new KubeClient({ url: hub.url, ca: hub.ca, token: "ada" });
  await rig.arrive("east");
  await grant(viewerRole("pods", ["pods"]), bindingTo("User", "ada", "pods", "shop"));
  await rig.send("east", rig.pod("east", "web", "unhealthy", "shop"), rig.pod("east", "api", "healthy", "shop"));
  // One hidden object is there from the beginning: names of kinds are known to all, as in discovery.
  await rig.send("east", rig.pod("east", "first", "healthy", "vault"));
  before = await askAll();
  await grant(viewerRole(`${hiddenWord}-role`, ["*"]), bindingTo("User", "zoe", `${hiddenWord}-role`));
  await rig.send(
    "east",
    rig.pod("east", hiddenWord, "unhealthy", "vault"),
    rig.pod("east", "first", "degraded", "vault"),
  );
});

afterAll(async () => {
  kube.close();
  await hub[Symbol.asyncDispose]();
  await rig.stop();
});

test("[L17] [Q-37] the user sees what it may see, so that equal answers mean something", () => {
  expect(before.get("ListObjects")).toContain('"total":"2"');
  expect(before.get("ListRows")).toContain('"name":"web"');
  expect(before.get("a list of the fleet API")).toContain("web");
  expect(before.get("WatchChanges once")).toContain('"name":"api"');
  expect(before.get("the page")).toContain('"rowCount"');
});

test("[L17] [Q-37] hidden objects and grants that come change no answer of any RPC, route or page", async () => {
  const after = await askAll();
  for (const [name, answer] of after) expect(answer, name).toBe(before.get(name));
});

test("[L17] a user who may see them is answered differently by the same questions", async () => {
  await grant(bindingTo("User", "ada", `${hiddenWord}-role`));
  const after = await askAll();
  const same = [...after].filter(([name, answer]) => answer === before.get(name)).map(([name]) => name);
  // These depend on kinds, on another right, and on an agent that serves reads.
  expect(same).toEqual([
    "ListObjects by an unknown kind",
    "ExplainAccess of another user",
    "GetObject of a hidden object",
    "discovery of the fleet API",
  ]);
});
