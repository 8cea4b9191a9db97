// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import type { ListObjectsRequest } from "../../gen/flotilla/query/v1/query_pb.ts";
import { type GetWanted, getObjects } from "./get-objects.ts";
import {
  completeCoverage,
  type FakeQueryService,
  fakeObject,
  fakeQueryCall,
  listOf,
  staleCoverage,
} from "./testing/fake-query.ts";

const plain: GetWanted = {
  kind: "pods",
  names: [],
  namespace: "",
  allNamespaces: false,
  selector: "",
  clusters: [],
  statuses: [],
  at: "",
  limit: 0,
  watch: false,
  format: "table",
};

async function run(service: FakeQueryService, wanted: Partial<GetWanted> = {}) {
  const { call, stdout, stderr } = fakeQueryCall(service);
  const failure = await getObjects(call, { ...plain, ...wanted }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (failure !== undefined && !(failure instanceof FlotillaError)) throw failure;
  return { stdout: stdout(), stderr: stderr(), code: failure?.code, message: failure?.message };
}

const service = fakeObject({ resource: "services", kind: "Service", name: "front", reason: "" });

/** Answers by the kind that the query begins with. */
function byKind(requests: string[]): FakeQueryService {
  return {
    listObjects: (request: ListObjectsRequest) => {
      requests.push(request.query);
      const found = request.query.startsWith("kind=pods") ? [fakeObject()] : [service];
      return { objects: found, total: 1n, coverage: completeCoverage };
    },
  };
}

describe("[CL32] get", () => {
  test("is one query over the fleet", async () => {
    const list = listOf([fakeObject()]);
    await run(list.service, {
      kind: "po",
      names: ["web"],
      namespace: "shop",
      selector: "app=web,tier!=test",
      clusters: ["prod-*"],
      statuses: ["Unhealthy", "degraded"],
    });
    expect(list.requests.map(({ query, limit }) => [query, limit])).toEqual([
      [
        "kind=po cluster=prod-* namespace=shop name=web status=in(unhealthy,degraded) label.app=web label.tier!=test",
        500,
      ],
    ]);
  });

  test("shows NAMESPACE, except where one is given", async () => {
    expect((await run(listOf([fakeObject()]).service, { allNamespaces: true })).stdout).toMatch(
      /^CLUSTER +NAMESPACE +NAME/,
    );
    expect((await run(listOf([fakeObject()]).service, { namespace: "shop" })).stdout).toMatch(/^CLUSTER +NAME/);
  });

  test("prints several kinds as tables one after another, with the kind in NAME", async () => {
    const queries: string[] = [];
    const { stdout } = await run(byKind(queries), { kind: "pods, services" });
    expect(queries).toEqual(["kind=pods", "kind=services"]);
    const [pods = "", services = ""] = stdout.split("\n\n");
    expect(pods).toMatch(/^CLUSTER +NAMESPACE +NAME +READY .*\neast +shop +pod\/web /);
    expect(services).toMatch(/^CLUSTER +NAMESPACE +NAME +TYPE .*\neast +shop +service\/front /);
  });

  test("all is the kinds that kubectl prints for it", async () => {
    const list = listOf([fakeObject()]);
    await run(list.service, { kind: "all,ns", format: "name" });
    expect(list.requests.map(({ query }) => query)).toEqual([
      "kind=in(pods,services,daemonsets,deployments,replicasets,statefulsets,horizontalpodautoscalers,cronjobs,jobs,ns)",
    ]);
  });

  test("prints several kinds as one list in other formats, and up to the limit", async () => {
    const list = listOf([fakeObject(), service]);
    expect((await run(list.service, { kind: "pods,svc", format: "name" })).stdout).toBe(
      "east/shop/pod/web\neast/shop/service/front\n",
    );
    expect(list.requests.map(({ query }) => query)).toEqual(["kind=in(pods,svc)"]);
    const queries: string[] = [];
    const limited = await run(byKind(queries), { kind: "pods,services", limit: 1 });
    expect(queries).toEqual(["kind=pods"]);
    expect(limited.stderr).toBe("flotilla: there are more objects than the limit of 1; --limit 0 prints all\n");
  });

  test("of nothing is no failure; of a name that no cluster has it is one", async () => {
    const none = await run(listOf([]).service);
    expect([none.code, none.stdout, none.stderr]).toEqual([undefined, "", "flotilla: no objects match\n"]);
    const named = await run(listOf([]).service, { names: ["web"] });
    expect([named.code, named.message]).toEqual(["NOT_FOUND", 'no cluster has pods "web" that you may see']);
    const partial = await run(listOf([], { coverage: staleCoverage }).service, { names: ["web"] });
    expect([partial.code, partial.stderr]).toEqual([
      "PARTIAL",
      'flotilla: no cluster that was read has pods "web" that you may see\n',
    ]);
    const nowhere = await run(listOf([], { coverage: { ...completeCoverage, clusterCount: 0 } }).service, {
      clusters: ["nowhere"],
    });
    expect([nowhere.code, nowhere.stderr]).toEqual([
      undefined,
      "flotilla: the query selects no cluster; `flotilla cluster list` lists those that you may see\n",
    ]);
  });

  test("follows a view with --watch", async () => {
    const { call, stop, stdout } = fakeQueryCall({
      async *watchObjects({ query, limit }) {
        expect([query, limit]).toEqual(["kind=pods namespace=shop", 500]);
        yield { isSnapshot: true, objects: [fakeObject()], coverage: completeCoverage, position: "1" };
        stop.abort(new Error("SIGINT"));
      },
    });
    await getObjects(call, { ...plain, namespace: "shop", watch: true });
    expect(stdout()).toMatch(/^EVENT +CLUSTER +NAME .*\nADDED +east +web /);
  });

  test.each<[Partial<GetWanted>, string]>([
    [{ namespace: "a", allNamespaces: true }, "-n does not work with -A; remove one of the two"],
    [{ kind: "pods,,svc" }, '"pods,,svc" has an empty kind; write KIND or KIND,KIND'],
    [{ kind: "" }, '"" has an empty kind; write KIND or KIND,KIND'],
    [{ names: [""] }, "NAME must not be empty"],
    [{ selector: "a>1" }, "-l with < or > is not supported; compare with =, !=, in or notin"],
    [{ watch: true, format: "csv" }, "-o csv does not work with --watch; use -o table, wide, json, yaml or ndjson"],
    [{ watch: true, limit: 501 }, "--watch follows at most 500 rows; lower --limit"],
  ])("refuses %j without a call", async (wanted, sentence) => {
    const { code, message } = await run({}, wanted);
    expect([code, message]).toEqual(["INVALID_ARGUMENT", sentence]);
  });
});
