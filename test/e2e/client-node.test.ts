// SPDX-License-Identifier: Apache-2.0
// The JavaScript client of the Kubernetes project on our server: typed and untyped requests, watches and informers.
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  type KubeConfig,
  KubernetesObjectApi,
  ListWatch,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  Watch,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientConfig, InformerRecord, ShortWatch } from "./kubectl/informer-record.ts";
import { type LivingCluster, startLivingCluster } from "./kubectl/start-living-cluster.ts";

const namespace = "client";
const path = `/api/v1/namespaces/${namespace}/configmaps`;

let cluster: LivingCluster;
let config: KubeConfig;
let core: CoreV1Api;

const create = (name: string, data: Record<string, string> = {}): Promise<V1ConfigMap> =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { of: "client" } }, data } });
/** Replaces the object that was read, so a newer one is a conflict. */
const replace = ({ metadata = {} }: V1ConfigMap, data: Record<string, string>): Promise<V1ConfigMap> =>
  core.replaceNamespacedConfigMap({ name: metadata.name ?? "", namespace, body: { metadata, data } });
const list = (): ReturnType<CoreV1Api["listNamespacedConfigMap"]> =>
  core.listNamespacedConfigMap({ namespace, labelSelector: "of=client" });

beforeAll(async () => {
  cluster = await startLivingCluster();
  config = clientConfig(cluster, "admin");
  core = config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

describe("requests of @kubernetes/client-node", () => {
  test("create, read, replace, patch of three types and delete of a built-in kind", async () => {
    const name = "typed";
    const made = await create(name, { colour: "red" });
    expect(made.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    await replace(made, { colour: "blue" });
    const stale = replace(made, { colour: "grey" });
    await expect(stale).rejects.toMatchObject({ code: 409 });
    const patch = (type: string, body: unknown): Promise<V1ConfigMap> =>
      core.patchNamespacedConfigMap({ name, namespace, body }, setHeaderOptions("Content-Type", type));
    await patch(PatchStrategy.JsonPatch, [{ op: "add", path: "/data/a", value: "1" }]);
    await patch(PatchStrategy.MergePatch, { data: { b: "2", colour: null } });
    await patch(PatchStrategy.StrategicMergePatch, { data: { c: "3" } });
    expect((await core.readNamespacedConfigMap({ name, namespace })).data).toEqual({ a: "1", b: "2", c: "3" });
    await core.deleteNamespacedConfigMap({ name, namespace });
    const gone: unknown = await core.readNamespacedConfigMap({ name, namespace }).catch((reason: unknown) => reason);
    expect(gone).toBeInstanceOf(ApiException);
    expect(gone).toMatchObject({ code: 404 });
  });

  test("a list in pages has every object once", async () => {
    for (const name of ["page-1", "page-2", "page-3"]) await create(name);
    const names: (string | undefined)[] = [];
    let token: string | undefined;
    do {
      const next = token === undefined ? {} : { _continue: token };
      const page = await core.listNamespacedConfigMap({ namespace, labelSelector: "of=client", limit: 2, ...next });
      names.push(...page.items.map(({ metadata }) => metadata?.name));
      token = page.metadata?._continue;
    } while (token !== undefined && token !== "");
    expect(names).toEqual(["page-1", "page-2", "page-3"]);
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "of=client" });
    expect((await list()).items).toEqual([]);
  });

  test("scale and status of a Deployment", async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: "scaled" };
    const spec = { containers: [{ name: "web", image: "nginx:1.27" }] };
    await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name: "scaled" },
        spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      },
    });
    const scale = await apps.readNamespacedDeploymentScale({ name: "scaled", namespace });
    expect(scale.spec?.replicas ?? 0).toBe(0);
    await apps.replaceNamespacedDeploymentScale({
      name: "scaled",
      namespace,
      body: Object.assign(scale, { spec: { replicas: 1 } }),
    });
    expect((await apps.readNamespacedDeploymentStatus({ name: "scaled", namespace })).spec?.replicas).toBe(1);
  });

  test("KubernetesObjectApi finds the paths of any kind by discovery", async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    const header = { apiVersion: "v1", kind: "Secret", metadata: { name: "untyped", namespace } };
    await objects.create({ ...header, stringData: { key: "value" } });
    await objects.patch({ ...header, metadata: { ...header.metadata, labels: { tier: "front" } } });
    const read = await objects.read<typeof header & { readonly data?: Record<string, string> }>(header);
    expect(read.metadata).toMatchObject({ labels: { tier: "front" } });
    expect(read.data).toEqual({ key: "dmFsdWU=" });
    expect((await objects.list("v1", "Secret", namespace)).items).toHaveLength(1);
    await objects.delete(header);
    await expect(objects.read(header)).rejects.toMatchObject({ code: 404 });
  });

  test("one who may not is told so", async () => {
    const alice = clientConfig(cluster, "alice").makeApiClient(CoreV1Api);
    await expect(alice.listNamespacedConfigMap({ namespace })).rejects.toMatchObject({
      code: 403,
      body: expect.stringContaining('User \\"alice\\" cannot list resource \\"configmaps\\"'),
    });
  });
});

describe("watches of @kubernetes/client-node", () => {
  test("an informer has what was there and sees each change", async () => {
    await create("before");
    const informer = makeInformer(config, path, list, "of=client");
    const record = new InformerRecord();
    record.follow(informer as ListWatch<V1ConfigMap>);
    await informer.start();
    expect(record.told).toEqual(["add before"]);
    await create("during");
    await record.until("add during");
    await core.deleteNamespacedConfigMap({ name: "before", namespace });
    await record.until("delete before");
    const during = await core.readNamespacedConfigMap({ name: "during", namespace });
    await replace(during, { a: "1" });
    await record.until("update during");
    expect(informer.get("during", namespace)?.data).toEqual({ a: "1" });
    expect(informer.list(namespace)).toHaveLength(1);
    expect(record.told).toEqual(["add before", "add during", "delete before", "update during"]);
    await informer.stop();
    await core.deleteNamespacedConfigMap({ name: "during", namespace });
  });

  test("an informer whose watch the server ends goes on where it was", async () => {
    const watch = new ShortWatch(config);
    // The client would wait a second before it begins again; what changes meanwhile must not be lost.
    const whileAway = Promise.withResolvers<void>();
    const delayFn = async (): Promise<void> => {
      if (watch.begunAt.length !== 2) return;
      await create("while-away");
      await core.deleteNamespacedConfigMap({ name: "there", namespace });
      whileAway.resolve();
    };
    await create("there");
    const informer = new ListWatch<V1ConfigMap>(path, watch, list, false, "of=client", undefined, { delayFn });
    const record = new InformerRecord();
    record.follow(informer);
    await informer.start();
    await whileAway.promise;
    await record.until("add while-away");
    await record.until("delete there");
    expect(record.told).toEqual(["add there", "add while-away", "delete there"]);
    await informer.stop();
    expect(watch.begunAt.length).toBeGreaterThanOrEqual(3);
    expect(new Set(watch.begunAt.slice(0, 3)).size).toBe(1);
    await core.deleteNamespacedConfigMap({ name: "while-away", namespace });
  });

  test("a watch from a resourceVersion of the past tells all that happened since", async () => {
    const from = (await list()).metadata?.resourceVersion ?? "";
    await create("past");
    await core.deleteNamespacedConfigMap({ name: "past", namespace });
    const told: string[] = [];
    const ended = Promise.withResolvers<unknown>();
    const query = { resourceVersion: from, labelSelector: "of=client", timeoutSeconds: 1 };
    await new Watch(config).watch(path, query, (type) => told.push(type), ended.resolve);
    expect(await ended.promise).toBeNull();
    expect(told).toEqual(["ADDED", "DELETED"]);
  });

  test("a watch of one who may not ends with the refusal", async () => {
    const ended = Promise.withResolvers<unknown>();
    await new Watch(clientConfig(cluster, "alice")).watch(path, {}, () => undefined, ended.resolve);
    expect(await ended.promise).toMatchObject({ statusCode: 403 });
  });
});
