// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyJson, type DraftObject, ensureObject } from "../../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import { annotationOf, conditionOf, labelsOf, nameOf } from "../object-parts.ts";
import { deployments, Rollout, setImage } from "../testing/deployment-rollout.ts";
import { PlaygroundRig } from "../testing/playground-rig.ts";
import { revisionAnnotation } from "./revisions.ts";

let rig: PlaygroundRig;
let rollout: Rollout;
beforeEach(async () => {
  rig = await PlaygroundRig.open();
  rollout = new Rollout(rig);
});
afterEach(() => rig.close());

async function rollOut(spec: DraftObject = {}): Promise<void> {
  await rollout.start(spec);
  expect(rollout.isDone()).toBe(true);
}

test("a Deployment becomes ready Pods with addresses, owners and events", async () => {
  await rollOut();
  const pods = rig.readyPods();
  expect(pods).toHaveLength(3);
  expect(new Set(pods.map((pod) => textOf(pod, "status", "podIP"))).size).toBe(3);
  expect(new Set(pods.map((pod) => textOf(pod, "spec", "nodeName")))).toEqual(new Set(["node-0", "node-1"]));
  const [set] = rig.list("apps/replicasets");
  expect(
    pods.every((pod) => textOf(objectsAt(pod, "metadata", "ownerReferences")[0] ?? {}, "name") === nameOf(set ?? {})),
  ).toBe(true);
  expect(textOf(conditionOf(rollout.current(), "Available") ?? {}, "reason")).toBe("MinimumReplicasAvailable");
  expect(textOf(conditionOf(rollout.current(), "Progressing") ?? {}, "reason")).toBe("NewReplicaSetAvailable");
  expect(annotationOf(rollout.current(), revisionAnnotation)).toBe("1");
  const wanted = ["ScalingReplicaSet", "SuccessfulCreate", "Scheduled", "Pulling", "Pulled", "Created", "Started"];
  for (const reason of wanted) expect(rig.reasons()).toContain(reason);
});

test("controllers that start again write nothing when nothing changed", async () => {
  await rollOut();
  const { revision } = rig;
  await rig.stop();
  rig.start();
  await rig.quiet();
  expect(rig.revision).toBe(revision);
});

test("Recreate never has Pods of two templates at once", async () => {
  await rollOut({ strategy: { type: "Recreate" } });
  await rig.change(deployments, "web", setImage("registry.example/web:2.0.0"));
  await rig.pass(30, () => {
    const all = rig.list("pods").map((pod) => textOf(objectsAt(pod, "spec", "containers")[0] ?? {}, "image"));
    expect(new Set(all).size).toBeLessThanOrEqual(1);
  });
  expect(new Set(rollout.images())).toEqual(new Set(["registry.example/web:2.0.0"]));
  expect(rollout.isDone()).toBe(true);
});

test("a paused Deployment scales but does not roll out until it is resumed", async () => {
  await rollOut();
  await rig.change(deployments, "web", (draft) => {
    setImage("registry.example/web:2.0.0")(draft);
    Object.assign(ensureObject(draft, "spec"), { paused: true, replicas: 4 });
  });
  await rig.pass(15);
  expect(rollout.images()).toEqual(Array.from({ length: 4 }, () => "registry.example/web:1.0.0"));
  expect(textOf(conditionOf(rollout.current(), "Progressing") ?? {}, "reason")).toBe("DeploymentPaused");
  await rig.change(deployments, "web", (draft) => {
    ensureObject(draft, "spec")["paused"] = false;
  });
  await rig.pass(40);
  expect(rollout.isDone()).toBe(true);
});

test("scaling down gives up Pods that are not ready before those that are", async () => {
  await rollOut({ replicas: 2 });
  const kept = new Set(rig.readyPods().map(nameOf));
  await rig.change(deployments, "web", (draft) => {
    ensureObject(draft, "spec")["replicas"] = 5;
  });
  await rig.change(deployments, "web", (draft) => {
    ensureObject(draft, "spec")["replicas"] = 2;
  });
  await rig.pass(15);
  expect(new Set(rig.pods().map(nameOf))).toEqual(kept);
});

test("old ReplicaSets beyond the history limit go", async () => {
  await rollOut({ revisionHistoryLimit: 1, replicas: 1 });
  for (const tag of ["2.0.0", "3.0.0", "4.0.0"]) {
    await rig.change(deployments, "web", setImage(`registry.example/web:${tag}`));
    await rig.pass(20);
  }
  expect(rollout.revisions()).toEqual(new Set(["3", "4"]));
});

test("a Pod whose labels are changed is let go and replaced; one that fits again is taken over", async () => {
  await rollOut({ replicas: 1 });
  const [pod] = rig.pods();
  const name = nameOf(pod ?? {});
  const labels = copyJson(labelsOf(pod ?? {}));
  await rig.change("pods", name, (draft) => {
    ensureObject(draft, "metadata")["labels"] = { app: "debug" };
  });
  await rig.pass(10);
  expect(rig.pods()).toHaveLength(2);
  expect(objectsAt(rig.get("pods", name) ?? {}, "metadata", "ownerReferences")).toEqual([]);
  await rig.change("pods", name, (draft) => {
    ensureObject(draft, "metadata")["labels"] = labels;
  });
  await rig.change("apps/replicasets", nameOf(rig.list("apps/replicasets")[0] ?? {}), (draft) => {
    ensureObject(ensureObject(draft, "metadata"), "annotations")["look"] = "again";
  });
  await rig.pass(10);
  expect(rig.pods()).toHaveLength(1);
});

test("Pods that are going are counted until they are gone", async () => {
  await rollOut({ replicas: 2 });
  const counts = (): readonly number[] =>
    [rollout.current(), rig.list("apps/replicasets")[0] ?? {}].map((each) =>
      countOf(each, "status", "terminatingReplicas"),
    );
  const told = (): readonly boolean[] =>
    [rollout.current(), rig.list("apps/replicasets")[0] ?? {}].map(
      (each) => valueAt(each, "status", "terminatingReplicas") !== undefined,
    );
  expect([counts(), told()]).toEqual([
    [0, 0],
    [true, true],
  ]);
  await rig.change(deployments, "web", (draft) => {
    ensureObject(draft, "spec")["replicas"] = 1;
  });
  expect(counts()).toEqual([1, 1]);
  await rig.pass(10);
  expect(counts()).toEqual([0, 0]);
});
