// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { findKit, type KubernetesKit } from "./find-kit.ts";
import { isWholeRun } from "./whole-run.ts";

/** Programs that a group of tests needs besides etcd, kube-apiserver and kubectl. */
export type KitNeed = "controllers" | "kwok";

/** The kit if it has what is needed, else the reason why not. */
function judge(kit: KubernetesKit | undefined, needs: readonly KitNeed[]): KubernetesKit | string {
  if (kit === undefined) return "the Kubernetes kit is not built (npm run kubernetes)";
  const missing = needs.filter((need) => kit[need] === undefined);
  return missing.length === 0 ? kit : `the folder of KUBEBUILDER_ASSETS has no ${missing.join(" and no ")}`;
}

/**
 * A group of tests on real Kubernetes. Where the kit is not there the group is one skipped test whose name is the
 * reason, which `npm test` then prints as left out.
 */
export function describeOnKit(name: string, needs: readonly KitNeed[], body: (kit: KubernetesKit) => void): void {
  const judged = judge(findKit(), needs);
  if (typeof judged === "string") leaveOut(judged);
  else describe(`real Kubernetes: ${name}`, () => body(judged));
}

/** The same for a group that takes a minute or so: only `npm run test:kubernetes` has the time for it. */
export function describeOnWholeRun(name: string, needs: readonly KitNeed[], body: (kit: KubernetesKit) => void): void {
  if (isWholeRun()) describeOnKit(name, needs, body);
  else leaveOut(`${name}: npm run test:kubernetes runs it`);
}

function leaveOut(why: string): void {
  test(`all of it: ${why}`, ({ skip }) => {
    skip(true, `left out: ${why}`);
    expect.unreachable("a skipped test does not go on");
  });
}
