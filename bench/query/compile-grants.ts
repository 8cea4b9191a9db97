// SPDX-License-Identifier: Apache-2.0

import type { ClusterGrants } from "../../src/index/access/cluster-grants.ts";
import { grantsWith } from "../../src/index/access/testing/rbac-sample-rows.ts";
import { createSubject } from "../../src/model/subject.ts";
import { createRule, type RbacObject, rbacApiGroup } from "../../src/rbac/rbac-types.ts";
import { quantile, reportPromise } from "../support/promise.ts";
import { benchUser } from "./fleet-shape.ts";
import { threadCpuMs } from "./load-index.ts";

const bindingCount = 10_000;
const roleCount = 20;
const runCount = 7;

/** Visibility of a user from 10,000 RoleBindings of one cluster: all of them name the user. */
export function benchGrants(): void {
  const objects = createObjects();
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let run = 0; run < runCount; run += 1) {
    const grants = grantsWith(objects);
    const [startedMs, startedCpuMs] = [performance.now(), threadCpuMs()];
    compile(grants);
    times.push(performance.now() - startedMs);
    cpuTimes.push(threadCpuMs() - startedCpuMs);
  }
  const median = (all: number[]): number =>
    quantile(
      all.sort((a, b) => a - b),
      0.5,
    );
  reportPromise({
    bench: "query",
    what: `compiling what a user sees by ${bindingCount} bindings of a cluster`,
    ours: median(times),
    unit: "ms",
    against: { kind: "atMost", value: 50 },
    more: { cpuMs: median(cpuTimes), worstMs: times.at(-1) ?? 0 },
  });
}

function compile(grants: ClusterGrants): void {
  const visible = grants.visibilityOf(createSubject(benchUser), "pods");
  if (visible.kind !== "some" || visible.namespaces.size !== bindingCount)
    throw new Error("the user sees as many namespaces as there are bindings");
}

function createObjects(): readonly RbacObject[] {
  const roles = Array.from({ length: roleCount }, (_, at): RbacObject => {
    const lists = { verbs: ["get", "list", "watch"], apiGroups: ["", "apps"], resources: ["pods", `extra${at}`] };
    return { kind: "ClusterRole", namespace: "", name: `reader-${at}`, rules: [createRule(lists)] };
  });
  const bindings = Array.from({ length: bindingCount }, (_, at): RbacObject => {
    const roleRef = { apiGroup: rbacApiGroup, kind: "ClusterRole", name: `reader-${at % roleCount}` };
    const user = { kind: "User", namespace: "", name: benchUser.user };
    return { kind: "RoleBinding", namespace: `space-${at}`, name: "readers", roleRef, subjects: [user] };
  });
  return [...roles, ...bindings];
}
