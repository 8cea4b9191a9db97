// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { loadSchemaTable } from "../../apiserver/schema/load-schema-table.ts";
import { listFleetFacts } from "./fleet-kind.ts";
import { ask, askTable, bodyOf, keysOf, type OpenRoute, openRoute } from "./testing/ask-route.ts";
import { SmallFleet, type SmallRow } from "./testing/small-fleet.ts";

function definition(
  cluster: string,
  versions: Readonly<Record<string, boolean>>,
  more: SmallRow["columns"] = {},
): SmallRow {
  return {
    cluster,
    resource: "apiextensions.k8s.io/customresourcedefinitions",
    kind: "CustomResourceDefinition",
    namespace: "",
    name: "widgets.example.com",
    columns: {
      group: "example.com",
      plural: "widgets",
      singular: "widget",
      definedKind: "Widget",
      shortNames: ["wd"],
      categories: ["all"],
      scope: "Cluster",
      versions: Object.entries(versions).map(([name, served]) => JSON.stringify({ name, served })),
      ...more,
    },
  };
}

function widgets(...clusters: readonly string[]): readonly SmallRow[] {
  return clusters.map((cluster) => ({
    cluster,
    resource: "example.com/widgets",
    kind: "Widget",
    namespace: "",
    name: "w",
  }));
}

const plain = { accept: "application/json" };
const aggregated = {
  accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
};

interface DiscoveredResource {
  readonly name: string;
  readonly verbs: readonly string[];
}

async function resourcesAt(open: OpenRoute, url: string): Promise<readonly DiscoveredResource[]> {
  return ((await bodyOf(await ask(open, url, plain))) as { readonly resources: readonly DiscoveredResource[] })
    .resources;
}

test("[FA2] discovery has the kinds of all clusters, each in one version, to be read only", async () => {
  const fleet = new SmallFleet();
  fleet.put(definition("east", { v1: true, v2: true, v3: false }), definition("west", { v1beta1: true }));
  fleet.put(...widgets("east", "west"));
  fleet.put({
    cluster: "east",
    resource: "autoscaling/horizontalpodautoscalers",
    kind: "HorizontalPodAutoscaler",
    name: "h",
  });
  const open = openRoute(fleet);
  expect(await resourcesAt(open, "/apis/example.com/v2")).toEqual([
    {
      name: "widgets",
      singularName: "widget",
      namespaced: false,
      kind: "Widget",
      verbs: ["get", "list", "watch"],
      shortNames: ["wd"],
      categories: ["all"],
      storageVersionHash: expect.any(String) as unknown,
    },
  ]);
  const core = await resourcesAt(open, "/api/v1");
  expect(core.map(({ name }) => name)).toEqual(expect.arrayContaining(["pods", "events", "namespaces", "nodes"]));
  expect(core.map(({ name }) => name)).not.toContain("pods/log");
  expect(new Set(core.flatMap(({ verbs }) => verbs))).toEqual(new Set(["get", "list", "watch"]));
  const groups = (await bodyOf(await ask(open, "/apis", plain))) as {
    readonly groups: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
  };
  const versions = new Map(groups.groups.map(({ name, versions: all }) => [name, all.map(({ version }) => version)]));
  expect(versions.get("example.com")).toEqual(["v2"]);
  expect(versions.get("autoscaling")).toEqual(["v2"]);
  expect(await bodyOf(await ask(open, "/api", plain))).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
  expect(await bodyOf(await ask(open, "/apis/apps", plain))).toMatchObject({ kind: "APIGroup", name: "apps" });
  expect(await bodyOf(await ask(open, "/version", plain))).toMatchObject({
    major: "1",
    gitVersion: expect.stringMatching(/\+flotilla$/) as unknown,
  });
  expect(keysOf(await askTable(open, "/apis/example.com/v2/widgets"))).toEqual(["east/w", "west/w"]);
});

test("[FA2] aggregated discovery is one document, and unchanged it is not sent again", async () => {
  const open = openRoute(new SmallFleet());
  const answer = await ask(open, "/apis", aggregated);
  expect(await bodyOf(answer)).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
  const headers = new Map(answer.headers);
  expect(headers.get("content-type")).toContain("as=APIGroupDiscoveryList");
  const etag = String(headers.get("etag"));
  const again = await ask(open, "/apis", { ...aggregated, headers: { "if-none-match": etag } });
  expect([again.status, again.body]).toEqual([304, new Uint8Array()]);
  const core = await bodyOf(await ask(open, "/api", aggregated));
  expect(core).toMatchObject({ items: [{ versions: [{ version: "v1" }] }] });
});

test("[FA2] a kind that appears is served when it is asked for, at the latest after 30 s otherwise", async () => {
  const fleet = new SmallFleet();
  const open = openRoute(fleet);
  expect((await ask(open, "/apis/example.com", plain)).status).toBe(404);
  fleet.put(definition("east", { v1: true }), ...widgets("east"));
  expect((await ask(open, "/apis/example.com/v1/widgets")).status).toBe(404);
  await open.clock.advance(1_000);
  expect((await ask(open, "/apis/example.com/v1/widgets")).status).toBe(200);
  fleet.put({ cluster: "east", resource: "other.io/things", kind: "Thing", name: "t" });
  await open.clock.advance(30_000);
  expect((await ask(open, "/apis/other.io", plain)).status).toBe(200);
});

test("[FA2] definitions with names that Kubernetes refuses are not used", async () => {
  const bad: readonly SmallRow["columns"][] = [
    { versions: ["{", "null", '{"name":"v1"}', '{"name":"V 1","served":true}'] },
    { definedKind: "<b>" },
    { group: "Example..com" },
  ];
  for (const columns of bad) {
    const fleet = new SmallFleet();
    fleet.put(definition("east", { v9: true }, columns), ...widgets("east"));
    const open = openRoute(fleet);
    expect((await ask(open, "/apis/example.com/v9", plain)).status).toBe(404);
    // Its rows are there under a version that no request depends on.
    expect(keysOf(await askTable(open, "/apis/example.com/v1/widgets"))).toEqual(["east/w"]);
  }
});

test("[FA2] kinds of Kubernetes without a row are served, and events are one resource", () => {
  const facts = listFleetFacts(loadSchemaTable(), { kinds: new Map(), definitions: new Map() });
  const ids = facts.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
  expect(ids).toEqual(expect.arrayContaining(["/v1/pods", "apps/v1/deployments", "/v1/events", "batch/v1/cronjobs"]));
  expect(ids.filter((id) => id.endsWith("/events"))).toEqual(["/v1/events"]);
  expect(ids).not.toContain("/v1/secrets");
});

test("[FA2] OpenAPI v2 and v3 describe the served kinds", async () => {
  const fleet = new SmallFleet();
  fleet.put(definition("east", { v1: true }), ...widgets("east"));
  const open = openRoute(fleet);
  const index = (await bodyOf(await ask(open, "/openapi/v3", plain))) as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  };
  expect(Object.keys(index.paths)).toEqual(expect.arrayContaining(["api/v1", "apis/apps/v1", "apis/example.com/v1"]));
  const url = index.paths["apis/example.com/v1"]?.serverRelativeURL ?? "";
  expect(await bodyOf(await ask(open, url, plain))).toMatchObject({
    openapi: "3.0.0",
    components: { schemas: { "com.example.v1.Widget": { type: "object" } } },
  });
  const swagger = (await bodyOf(await ask(open, "/openapi/v2", plain))) as { readonly paths: object };
  const pods = "/api/v1/namespaces/{namespace}/pods";
  expect(Object.keys(swagger.paths)).toEqual(expect.arrayContaining([pods, "/apis/example.com/v1/widgets"]));
  expect(Object.keys((swagger.paths as Readonly<Record<string, object>>)[pods] ?? {})).not.toContain("post");
  const gnostic = await ask(open, "/openapi/v2", {
    accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  });
  expect(gnostic.body).toBeInstanceOf(Uint8Array);
  expect(new Map(gnostic.headers).get("content-type")).toContain("protobuf");
});
