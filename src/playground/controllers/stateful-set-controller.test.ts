// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import { isTerminating, nameOf } from "./object-parts.ts";
import { isReady } from "./pod-facts.ts";
import { PlaygroundRig, templateOf } from "./testing/playground-rig.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open();
});
afterEach(() => rig.close());

const sets = "apps/statefulsets";

function statefulSet(spec: DraftObject = {}): DraftObject {
  return {
    metadata: { name: "db", namespace: "shop" },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: templateOf("db", { volumeMounts: [{ name: "data", mountPath: "/data" }] }),
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
      ...spec,
    },
  };
}

function imageOf(pod: JsonObject): string {
  return textOf(objectsAt(pod, "spec", "containers")[0] ?? {}, "image");
}

const newTemplate = templateOf("db", {
  image: "registry.example/db:2.0.0",
  volumeMounts: [{ name: "data", mountPath: "/data" }],
});

test("Pods come one after the other, each with a bound claim of its own", async () => {
  await rig.client.create(sets, statefulSet());
  await rig.pass(30, () => {
    const pods = rig.pods();
    for (const [index, pod] of pods.entries()) {
      expect(nameOf(pod)).toBe(`db-${index}`);
      if (index < pods.length - 1) expect(isReady(pod)).toBe(true);
    }
  });
  expect(rig.readyPods().map(nameOf)).toEqual(["db-0", "db-1", "db-2"]);
  const claims = rig.list("persistentvolumeclaims");
  expect(claims.map(nameOf)).toEqual(["data-db-0", "data-db-1", "data-db-2"]);
  expect(claims.every((claim) => textOf(claim, "status", "phase") === "Bound")).toBe(true);
  expect(rig.client.objects.list("persistentvolumes").map((each) => textOf(each, "status", "phase"))).toEqual([
    "Bound",
    "Bound",
    "Bound",
  ]);
  const status = rig.get(sets, "db") ?? {};
  expect(countOf(status, "status", "readyReplicas")).toBe(3);
  expect(textOf(status, "status", "currentRevision")).toBe(textOf(status, "status", "updateRevision"));
});

test("an update replaces Pods from the last to the partition, never two at once", async () => {
  await rig.client.create(sets, statefulSet());
  await rig.pass(30);
  await rig.change(sets, "db", (draft) => {
    Object.assign(ensureObject(draft, "spec"), {
      template: newTemplate,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
    });
  });
  await rig.pass(40, () => expect(rig.readyPods().length).toBeGreaterThanOrEqual(2));
  expect(rig.readyPods().map(imageOf)).toEqual([
    "registry.example/db:1.0.0",
    "registry.example/db:2.0.0",
    "registry.example/db:2.0.0",
  ]);
  expect(new Set(rig.list("apps/controllerrevisions").map((each) => countOf(each, "revision")))).toEqual(
    new Set([1, 2]),
  );
  await rig.client.delete({ resource: "pods", namespace: "shop", name: "db-0" });
  await rig.pass(10);
  expect(imageOf(rig.get("pods", "db-0") ?? {})).toBe("registry.example/db:1.0.0");
  await rig.change(sets, "db", (draft) => {
    ensureObject(draft, "spec")["updateStrategy"] = { type: "RollingUpdate", rollingUpdate: { partition: 0 } };
  });
  await rig.pass(20);
  const status = rig.get(sets, "db") ?? {};
  expect(countOf(status, "status", "updatedReplicas")).toBe(3);
  expect(textOf(status, "status", "currentRevision")).toBe(textOf(status, "status", "updateRevision"));
});

test("scaling down takes the highest number first, and claims stay until they are deleted", async () => {
  await rig.client.create(sets, statefulSet());
  await rig.pass(30);
  await rig.change(sets, "db", (draft) => {
    ensureObject(draft, "spec")["replicas"] = 1;
  });
  await rig.pass(15, () => expect(rig.list("pods").filter(isTerminating).length).toBeLessThanOrEqual(1));
  expect(rig.pods().map(nameOf)).toEqual(["db-0"]);
  expect(rig.list("persistentvolumeclaims")).toHaveLength(3);
  await rig.client.delete({ resource: "persistentvolumeclaims", namespace: "shop", name: "data-db-2" });
  await rig.client.delete({ resource: "persistentvolumeclaims", namespace: "shop", name: "data-db-0" });
  await rig.pass(5);
  // A claim in use stays until its Pod is gone.
  expect(rig.list("persistentvolumeclaims").map(nameOf)).toEqual(["data-db-0", "data-db-1"]);
  expect(rig.client.objects.list("persistentvolumes")).toHaveLength(2);
});

test("Parallel does not wait for Pods to be ready", async () => {
  await rig.client.create(sets, statefulSet({ podManagementPolicy: "Parallel" }));
  await rig.quiet();
  expect(rig.pods()).toHaveLength(3);
});

test("controllers that start again write nothing", async () => {
  await rig.client.create(sets, statefulSet());
  await rig.pass(30);
  const { revision } = rig;
  await rig.stop();
  rig.start();
  await rig.quiet();
  expect(rig.revision).toBe(revision);
});
