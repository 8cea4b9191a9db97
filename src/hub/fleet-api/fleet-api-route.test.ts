// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import {
  ask,
  askRefused,
  askTable,
  bodyOf,
  keysOf,
  openRoute,
  partialAccept,
  tableAccept,
} from "./testing/ask-route.ts";
import { SmallFleet, type SmallRow } from "./testing/small-fleet.ts";

const createdAt = Date.parse("2026-01-01T00:00:00Z");

function shopFleet(): SmallFleet {
  const fleet = new SmallFleet();
  fleet.clusters.set("east", { region: "eu" });
  fleet.clusters.set("west", { region: "us" });
  const owner = { group: "apps", kind: "ReplicaSet", name: "web", uid: "rs-uid" };
  fleet.put(
    {
      cluster: "east",
      name: "web-1",
      createdAt,
      labels: { app: "web" },
      columns: { phase: "Running", ready: "1/1", node: "n1" },
      owner,
    },
    { cluster: "east", name: "db-0", namespace: "data", columns: { phase: "Pending" } },
    { cluster: "west", name: "web-1", labels: { app: "web" }, status: "unhealthy", columns: { phase: "Failed" } },
    { cluster: "west", resource: "nodes", kind: "Node", namespace: "", name: "n1" },
  );
  return fleet;
}

test("[FA3] a list is a Table with kubectl's columns, the cluster before them", async () => {
  const open = openRoute(shopFleet());
  const table = await askTable(open, "/api/v1/pods?limit=500");
  expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
  const shown = table.columnDefinitions?.filter(({ priority }) => priority === 0).map(({ name }) => name);
  expect(shown).toEqual(["Cluster", "Name", "Ready", "Status", "Restarts", "Age"]);
  expect(keysOf(table)).toEqual(["east/db-0", "east/web-1", "west/web-1"]);
  expect(table.rows[1]?.cells.slice(0, 4)).toEqual(["east", "web-1", "1/1", "Running"]);
  expect(table.rows[1]?.object).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: {
      name: "web-1",
      namespace: "shop",
      uid: "uid-east-web-1",
      resourceVersion: expect.stringMatching(/^feed_test\.\d+\.[\w-]+\.\w+$/) as unknown,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: "web" },
      annotations: { "flotilla.dev/cluster": "east" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "rs-uid" }],
    },
  });
  const bare = await askTable(open, "/api/v1/pods?includeObject=None");
  expect(bare.rows.map(({ object }) => object)).toEqual([null, null, null]);
});

test("[FA7, FA8] namespaces, labels and fields select rows of all clusters", async () => {
  const open = openRoute(shopFleet());
  const list = async (url: string): Promise<readonly string[]> => keysOf(await askTable(open, url));
  expect(await list("/api/v1/namespaces/shop/pods")).toEqual(["east/web-1", "west/web-1"]);
  expect(await list("/api/v1/pods?labelSelector=app%3Dweb,flotilla.dev/cluster!%3Deast")).toEqual(["west/web-1"]);
  expect(await list("/api/v1/pods?labelSelector=flotilla.dev/region+in+(eu)")).toEqual(["east/db-0", "east/web-1"]);
  expect(await list("/api/v1/pods?labelSelector=flotilla.dev/status%3Dunhealthy")).toEqual(["west/web-1"]);
  expect(await list("/api/v1/pods?fieldSelector=status.phase!%3DRunning,cluster%3Deast")).toEqual(["east/db-0"]);
  expect(await list("/api/v1/nodes")).toEqual(["west/n1"]);
  expect(await list("/apis/apps/v1/deployments")).toEqual([]);
  expect(await askRefused(open, "/api/v1/pods?labelSelector=a%3D%3D%3Db")).toMatchObject({
    code: 400,
    reason: "BadRequest",
  });
});

test("[FA4] metadata lists have names with their cluster, which can be read one by one", async () => {
  const open = openRoute(shopFleet());
  const list = (await bodyOf(await ask(open, "/api/v1/pods", { accept: partialAccept }))) as {
    readonly kind: string;
    readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace: string } }[];
  };
  expect(list.kind).toBe("PartialObjectMetadataList");
  expect(list.items.map(({ metadata }) => metadata.name)).toEqual(["db-0@east", "web-1@east", "web-1@west"]);
  for (const { metadata } of list.items) {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${encodeURIComponent(metadata.name)}`;
    const one = await bodyOf(await ask(open, path, { accept: partialAccept }));
    expect(one).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: metadata.name } });
  }
});

test("[FA5] a list of whole objects is refused with what to do instead", async () => {
  const open = openRoute(shopFleet());
  const accept = "application/json";
  const { code, reason, message } = await askRefused(open, "/apis/apps/v1/deployments?limit=500", { accept });
  expect([code, reason]).toEqual([406, "NotAcceptable"]);
  expect(message).toMatch(/^the fleet holds rows, not objects: .*kubectl get deployments\.apps NAME@CLUSTER -o yaml/);
  const watched = await askRefused(open, "/api/v1/pods?watch=1", { accept: "application/json" });
  expect(watched.code).toBe(406);
  expect((await ask(open, "/api/v1/pods", { accept: "application/vnd.kubernetes.protobuf" })).status).toBe(406);
});

test("[FA6] one object is read in its cluster as the user; several clusters are a conflict", async () => {
  const reads: unknown[] = [];
  const readObject = ({ cluster, read }: { readonly cluster: string; readonly read: object }): Promise<Uint8Array> => {
    reads.push([cluster, read]);
    return Promise.resolve(Buffer.from('{"kind":"Pod","spec":{"nodeName":"n1"}}'));
  };
  const open = openRoute(shopFleet(), { tunnels: { readObject } });
  const whole = { accept: "application/json" };
  expect(await bodyOf(await ask(open, "/api/v1/namespaces/data/pods/db-0", whole))).toMatchObject({ kind: "Pod" });
  expect(await bodyOf(await ask(open, "/api/v1/namespaces/shop/pods/web-1@west", whole))).toMatchObject({
    kind: "Pod",
  });
  expect(reads).toEqual([
    ["east", { user: "root", groups: [], resource: "pods", namespace: "data", name: "db-0" }],
    ["west", { user: "root", groups: [], resource: "pods", namespace: "shop", name: "web-1" }],
  ]);
  expect(await askRefused(open, "/api/v1/namespaces/shop/pods/web-1", whole)).toEqual({
    code: 409,
    reason: "Conflict",
    message: 'Operation cannot be fulfilled on pods "web-1": 2 clusters have it: east, west. Name one: web-1@east',
  });
  const table = await askTable(open, "/api/v1/namespaces/shop/pods/web-1");
  expect(keysOf(table)).toEqual(["east/web-1", "west/web-1"]);
  for (const accept of [tableAccept, partialAccept, "application/json"])
    expect(await askRefused(open, "/api/v1/namespaces/shop/pods/gone", { accept })).toEqual({
      code: 404,
      reason: "NotFound",
      message: 'pods "gone" not found',
    });
  expect(reads).toHaveLength(2);
});

test("[FA6] an object is read only with the hub's permission for its cluster, and its failure is the answer", async () => {
  const fleet = shopFleet();
  const readObject = (): Promise<Uint8Array> =>
    Promise.reject(new FlotillaError("UNAVAILABLE", "the agent of east is not connected"));
  const open = openRoute(fleet, { tunnels: { readObject } });
  const url = "/api/v1/namespaces/data/pods/db-0";
  expect(await askRefused(open, url, { accept: "application/json", user: "alice" })).toMatchObject({
    code: 403,
    reason: "Forbidden",
    message:
      'user "alice" may not get objects "east" in API group "fleet.flotilla.dev"; ask an administrator of the hub for a token whose groups may',
  });
  expect(await askRefused(open, url, { accept: "application/json" })).toEqual({
    code: 503,
    reason: "ServiceUnavailable",
    message: "the agent of east is not connected",
  });
});

test("[FA9] pages joined are the list, each with the exact number of rows that remain", async () => {
  const fleet = new SmallFleet();
  const rows = Array.from(
    { length: 25 },
    (_, at): SmallRow => ({ cluster: at % 2 === 0 ? "east" : "west", name: `p-${at}` }),
  );
  fleet.put(...rows);
  const open = openRoute(fleet);
  const whole = keysOf(await askTable(open, "/api/v1/pods"));
  const joined: string[] = [];
  const versions = new Set<string>();
  let token = "";
  do {
    const page = await askTable(open, `/api/v1/pods?limit=10&continue=${token}`);
    joined.push(...keysOf(page));
    versions.add(page.metadata.resourceVersion);
    const left = whole.length - joined.length;
    expect(page.metadata["remainingItemCount"]).toBe(left === 0 ? undefined : left);
    token = page.metadata.continue ?? "";
    fleet.put({ cluster: "north", name: `late-${joined.length}`, namespace: "other", resource: "nodes", kind: "Node" });
  } while (token !== "");
  expect(joined).toEqual(whole);
  expect(versions.size).toBe(1);
});

test("[FA9] a token of another user, of another list, or forged is expired", async () => {
  const fleet = new SmallFleet();
  fleet.put({ cluster: "east", name: "a" }, { cluster: "east", name: "b" });
  const open = openRoute(fleet);
  const { metadata } = await askTable(open, "/api/v1/pods?limit=1", { user: "alice" });
  const refused = { code: 410, reason: "Expired", message: expect.stringContaining("list again without it") };
  const token = metadata.continue ?? "";
  expect(await askRefused(open, `/api/v1/pods?limit=1&continue=${token}`, { user: "bob" })).toEqual(refused);
  expect(await askRefused(open, `/api/v1/nodes?limit=1&continue=${token}`, { user: "alice" })).toEqual(refused);
  for (const forged of ["x", "W10", Buffer.from('["a",-1,"b"]').toString("base64url"), "A".repeat(9_000)])
    expect(await askRefused(open, `/api/v1/pods?limit=1&continue=${forged}`)).toEqual(refused);
});

test("[FA9] a list without a limit is streamed whole, and a larger limit is cut to a page", async () => {
  const fleet = new SmallFleet();
  fleet.put(...Array.from({ length: 1_201 }, (_, at): SmallRow => ({ cluster: "east", name: `p-${at}` })));
  const open = openRoute(fleet);
  const all = await askTable(open, "/api/v1/pods");
  expect(new Set(keysOf(all)).size).toBe(1_201);
  expect(all.metadata.continue).toBeUndefined();
  const page = await askTable(open, "/api/v1/pods?limit=100000");
  expect(page.rows).toHaveLength(500);
  expect(page.metadata["remainingItemCount"]).toBe(701);
});

test("[FA12] [L10] partial coverage is a warning that kubectl prints", async () => {
  const asked: unknown[] = [];
  const coverageSentence = (...args: unknown[]): string => {
    asked.push(args);
    return "1 of 2 clusters, 1 stale";
  };
  const open = openRoute(shopFleet(), { coverageSentence });
  const { headers } = await ask(open, "/api/v1/pods?labelSelector=flotilla.dev/cluster%3Dwest");
  expect(headers).toContainEqual(["warning", ['299 - "1 of 2 clusters, 1 stale"']]);
  expect(asked).toEqual([[{ user: "root", groups: [] }, ["west"], "pods"]]);
});

test("[FA1] [L16] without the permission to list rows nothing is answered, and without that to watch no watch", async () => {
  const fleet = shopFleet();
  const authorizer = { isAllowed: ({ user }: { user: string }, { verb }: { verb: string }) => user === verb };
  const open = openRoute(fleet, { authorizer });
  for (const url of ["/api", "/apis/apps/v1", "/api/v1/pods", "/api/v1/pods?watch=1", "/nonsense"])
    expect(await askRefused(open, url, { user: "watch" })).toMatchObject({ code: 403, reason: "Forbidden" });
  expect((await ask(open, "/api/v1/pods", { user: "list" })).status).toBe(200);
  expect(await askRefused(open, "/api/v1/pods?watch=1", { user: "list" })).toEqual({
    code: 403,
    reason: "Forbidden",
    message:
      'user "list" may not watch rows in API group "fleet.flotilla.dev"; ask an administrator of the hub for a token whose groups may',
  });
});

test("[FA1] [L17] a user gets the rows that the user may see, and a kind without such rows is empty", async () => {
  const fleet = shopFleet();
  fleet.put({ cluster: "east", resource: "example.com/widgets", kind: "Widget", name: "w" });
  fleet.setVisibility((user, found) => user === "root" || (found.cluster === "west" && found.resource === "pods"));
  const open = openRoute(fleet);
  const asAlice = { user: "alice" };
  expect(keysOf(await askTable(open, "/api/v1/pods", asAlice))).toEqual(["west/web-1"]);
  expect(keysOf(await askTable(open, "/apis/example.com/v1/widgets"))).toEqual(["east/w"]);
  expect(keysOf(await askTable(open, "/apis/example.com/v1/widgets", asAlice))).toEqual([]);
  expect(await askRefused(open, "/api/v1/namespaces/data/pods/db-0", asAlice)).toMatchObject({
    code: 404,
    reason: "NotFound",
  });
});

test("[FA13] everything but reads is refused with where to go", async () => {
  const open = openRoute(shopFleet());
  for (const method of ["POST", "PUT", "PATCH", "DELETE"])
    expect(await askRefused(open, "/api/v1/namespaces/shop/pods/web-1", { method })).toEqual({
      code: 405,
      reason: "MethodNotAllowed",
      message: `the fleet API is read-only and serves no ${method}; use kubectl --context CLUSTER`,
    });
  expect(await askRefused(open, "/api/v1/namespaces/shop/pods/web-1/log")).toEqual({
    code: 405,
    reason: "MethodNotAllowed",
    message: "the fleet API does not serve pods/log; use kubectl --context CLUSTER logs",
  });
  expect(await askRefused(open, "/api/v1/proxy/namespaces/shop/pods/web-1")).toMatchObject({
    code: 405,
    reason: "MethodNotAllowed",
  });
  const can = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  expect(await askRefused(open, can, { method: "POST" })).toMatchObject({ code: 405, reason: "MethodNotAllowed" });
});

test("[FA13] unknown paths, long ones, impersonation and past versions are refused as Status", async () => {
  const open = openRoute(shopFleet());
  for (const url of [
    "/",
    "/api/v2",
    "/api/v1/nosuch",
    "/apis/apps/v1beta1/deployments",
    "/api/v1/namespaces/shop/nodes",
    "/api/v1/pods/web-1",
    "/healthz",
    "/api/v1/watch/namespaces/shop/pods/web-1",
  ])
    expect([url, await askRefused(open, url)]).toEqual([
      url,
      { code: 404, reason: "NotFound", message: "the server could not find the requested resource" },
    ]);
  expect(await askRefused(open, "/api/v1/%zz")).toMatchObject({ code: 400, reason: "BadRequest" });
  expect(await askRefused(open, `/api/v1/pods?labelSelector=${"a".repeat(17_000)}`)).toMatchObject({ code: 414 });
  expect(await askRefused(open, "/api/v1/pods", { headers: { "impersonate-user": "bob" } })).toMatchObject({
    code: 400,
    reason: "BadRequest",
  });
  expect(await askRefused(open, "/api/v1/pods?resourceVersion=12345")).toMatchObject({ code: 410, reason: "Expired" });
  const { metadata } = await askTable(open, "/api/v1/pods");
  const exact = `/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=${metadata.resourceVersion}`;
  expect(await askRefused(open, exact)).toMatchObject({ code: 410, reason: "Expired" });
  const notOlder = `/api/v1/pods?resourceVersionMatch=NotOlderThan&resourceVersion=${metadata.resourceVersion}`;
  expect((await ask(open, notOlder)).status).toBe(200);
});

test("[FA13] an unexpected failure names the request and nothing else", async () => {
  const fleet = shopFleet();
  const reader = { ...fleet.reader, queries: () => ({ list: () => Promise.reject(new Error("secret detail")) }) };
  expect(await askRefused(openRoute(fleet, { reader }), "/api/v1/pods")).toEqual({
    code: 500,
    reason: "InternalError",
    message: "unexpected internal error; the log of the hub has the cause under the request id req_test",
  });
});
