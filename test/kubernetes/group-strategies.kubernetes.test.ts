// SPDX-License-Identifier: Apache-2.0
// Objects of the kinds outside core, good and bad ones and changes of them: the real server, on a dry run, and our
// strategies must make the same of each.

import { afterAll, beforeAll, expect, test } from "vitest";
import { hpaV1FromV2, hpaV2FromV1 } from "../../src/apiserver/builtin/autoscaling/hpa-conversion.ts";
import { coreFromEventV1, eventV1FromCore } from "../../src/apiserver/builtin/events/event-conversion.ts";
import { copyJson, type JsonObject } from "../../src/apiserver/json/json.ts";
import { objectAt, textAt } from "../../src/apiserver/json/json-fields.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { clusterCases } from "./group-strategies/cluster-cases.ts";
import { findDifference } from "./group-strategies/differences.ts";
import { judgeCreate, judgeReview, judgeUpdate, resourceOf } from "./group-strategies/judge-locally.ts";
import { reviewCases } from "./group-strategies/review-cases.ts";
import { statusCases } from "./group-strategies/status-cases.ts";
import type { CreateCase, UpdateCase } from "./group-strategies/strategy-case.ts";
import { richAutoscaler, richStatus, sharedEvents, withoutKey, withVersion } from "./group-strategies/two-shapes.ts";
import { updateCases } from "./group-strategies/update-cases.ts";
import { workloadCases } from "./group-strategies/workload-cases.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

/** Stands for the uid of an object that the server refuses. */
const unknownUid = "00000000-0000-4000-8000-000000000000";

/** The path of the collection of `apps/v1/deployments`. */
function collectionPath(resource: string): string {
  const [group = "", version = "", plural = ""] = resource.split("/");
  const namespaced = resourceOf(resource).facts.namespaced ? "namespaces/default/" : "";
  return `/apis/${group}/${version}/${namespaced}${plural}`;
}

describeOnKit("strategies of the kinds outside core", [], (kit) => {
  let cluster: KubernetesCluster;
  let client: KubeClient;

  beforeAll(async () => {
    cluster = await startCluster({ kit });
    client = cluster.connect();
  });
  afterAll(() => cluster.stop());

  async function compareCreate({ resource, object }: CreateCase): Promise<string | undefined> {
    const answer = await client.send("POST", `${collectionPath(resource)}?dryRun=All`, { body: object });
    const { uid = unknownUid, creationTimestamp = null } = objectAt(answer.body as JsonObject, "metadata") ?? {};
    return findDifference(judgeCreate(resourceOf(resource), object, { uid, creationTimestamp }), answer);
  }

  async function compareUpdate({
    resource,
    object,
    change,
    isStatus = false,
  }: UpdateCase): Promise<string | undefined> {
    const path = collectionPath(resource);
    const old = (await client.ask("POST", path, { body: object })) as JsonObject;
    const objectPath = `${path}/${textAt(old, "metadata", "name") ?? ""}`;
    try {
      const wanted = copyJson(old);
      delete objectAt(wanted, "metadata")?.["managedFields"];
      change(wanted);
      const partPath = isStatus ? `${objectPath}/status` : objectPath;
      const answer = await client.send("PUT", `${partPath}?dryRun=All`, { body: wanted });
      return findDifference(judgeUpdate(resourceOf(resource), wanted, old, isStatus), answer);
    } finally {
      await client.ask("DELETE", `${objectPath}?propagationPolicy=Background`);
    }
  }

  test.each([...workloadCases, ...clusterCases])("$resource: $name", async (each) => {
    expect(await compareCreate(each)).toBeUndefined();
  });

  test.each([...updateCases, ...statusCases])("$resource, changed: $name", async (each) => {
    expect(await compareUpdate(each)).toBeUndefined();
  });

  test("autoscalers are shown alike in both versions", async () => {
    const path = (version: string): string =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    await client.ask("POST", path("v2"), { body: richAutoscaler });
    await client.ask("PUT", `${path("v2")}/rich/status`, { body: { ...richAutoscaler, status: richStatus } });
    const read = async (version: string): Promise<JsonObject> => {
      const { metadata, ...rest } = (await client.ask("GET", `${path(version)}/rich`)) as JsonObject;
      return { ...rest, metadata: withoutKey(metadata, "managedFields") };
    };
    const v1 = await read("v1");
    expect(hpaV1FromV2(await read("v2"))).toEqual(v1);
    await client.ask("PUT", `${path("v1")}/rich`, { body: v1 });
    const written = await read("v2");
    expect(withVersion(hpaV2FromV1(v1), written)).toEqual(written);
  });

  test("events are shown alike in both groups", async () => {
    const [name, group] = ["shared", "/apis/events.k8s.io/v1/namespaces/default/events"];
    for (const event of sharedEvents) {
      await client.ask("POST", "/api/v1/namespaces/default/events", { body: { metadata: { name }, ...event } });
      const core = (await client.ask("GET", `/api/v1/namespaces/default/events/${name}`)) as JsonObject;
      const v1 = (await client.ask("GET", `${group}/${name}`)) as JsonObject;
      expect(withVersion(eventV1FromCore(core), v1)).toEqual(v1);
      expect(withVersion(coreFromEventV1(v1), core)).toEqual(core);
      await client.ask("DELETE", `${group}/${name}`);
    }
  });

  test.each(reviewCases)("$kind: $review.spec", async ({ kind, review }) => {
    const isLocal = kind === "LocalSubjectAccessReview";
    const place = isLocal ? "namespaces/default/" : "";
    const path = `/apis/authorization.k8s.io/v1/${place}${kind.toLowerCase()}s`;
    const answer = await client.send("POST", path, { body: review });
    const asked = isLocal ? { ...review, metadata: { namespace: "default" } } : review;
    expect(findDifference(judgeReview(kind, asked, isLocal ? "default" : ""), answer)).toBeUndefined();
  });
});
