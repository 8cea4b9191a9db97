// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DraftObject, ensureObject } from "../../../apiserver/json/json.ts";
import { textOf } from "../../../apiserver/json/json-fields.ts";
import { annotationOf, conditionOf } from "../object-parts.ts";
import { deployments, Rollout, setImage } from "../testing/deployment-rollout.ts";
import { PlaygroundRig, templateOf } from "../testing/playground-rig.ts";
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

describe("a rolling update", () => {
  const strategies: readonly (readonly [number | string, number | string, number])[] = [
    [1, 0, 4],
    [0, 1, 4],
    ["25%", "25%", 5],
    ["100%", 0, 3],
    ["50%", "50%", 6],
  ];
  test.each(strategies)(
    "with maxSurge %s and maxUnavailable %s keeps to its limits at every step",
    async (maxSurge, maxUnavailable, replicas) => {
      await rollOut({ replicas, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } });
      const part = (value: number | string, round: (value: number) => number): number =>
        typeof value === "number" ? value : round((Number.parseInt(value, 10) * replicas) / 100);
      const least = replicas - part(maxUnavailable, Math.floor);
      const most = replicas + part(maxSurge, Math.ceil);
      let stepCount = 0;
      await rig.change(deployments, "web", setImage("registry.example/web:2.0.0"));
      await rig.pass(40, () => {
        expect(rig.readyPods().length).toBeGreaterThanOrEqual(least);
        expect(rig.pods().length).toBeLessThanOrEqual(most);
        stepCount += 1;
      });
      expect(stepCount).toBeGreaterThan(3);
      expect(rollout.isDone()).toBe(true);
      expect(new Set(rollout.images())).toEqual(new Set(["registry.example/web:2.0.0"]));
    },
  );

  test("that cannot get its image stops at its limits and says so after the deadline", async () => {
    await rollOut({ progressDeadlineSeconds: 30 });
    await rig.change(deployments, "web", setImage("registry.example/web:does-not-exist"));
    await rig.pass(45);
    expect(rig.readyPods()).toHaveLength(3);
    const progressing = conditionOf(rollout.current(), "Progressing") ?? {};
    expect(textOf(progressing, "status")).toBe("False");
    expect(textOf(progressing, "reason")).toBe("ProgressDeadlineExceeded");
    await rig.change(deployments, "web", setImage("registry.example/web:1.0.0"));
    await rig.pass(15);
    expect(rollout.isDone()).toBe(true);
  });

  test("back to an earlier template takes its ReplicaSet again, with a new number", async () => {
    await rollOut();
    await rig.change(deployments, "web", setImage("registry.example/web:2.0.0"));
    await rig.pass(30);
    expect(annotationOf(rollout.current(), revisionAnnotation)).toBe("2");
    await rig.change(deployments, "web", (draft) => {
      ensureObject(draft, "spec")["template"] = templateOf("web");
    });
    await rig.pass(30);
    expect(rollout.isDone()).toBe(true);
    expect(annotationOf(rollout.current(), revisionAnnotation)).toBe("3");
    const sets = rig.list("apps/replicasets");
    expect(rollout.revisions()).toEqual(new Set(["2", "3"]));
    expect(sets.map((set) => annotationOf(set, "deployment.kubernetes.io/revision-history"))).toContain("1");
  });
});
