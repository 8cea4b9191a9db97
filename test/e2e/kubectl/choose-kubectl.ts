// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { isWholeRun } from "../../kubernetes/whole-run.ts";
import { findKubectls, type Kubectl } from "./find-kubectl.ts";

/** The versions that differ most in what they ask: the oldest; one before protobuf; the first with it; the newest. */
const wantedLabels = ["1.27", "1.29", "1.32", "1.33"];

/** What a test plays with each kubectl. */
export interface Choice {
  readonly kubectl: Kubectl;
  /** `core`: what everybody does daily. `little`: enough to see that it gets on with the server. */
  readonly extent: "whole" | "core" | "little";
}

/**
 * Every kubectl of this machine and how much is played with it: the whole with one of them, or with all in a whole run.
 */
export function chooseKubectls(found: readonly Kubectl[] = findKubectls()): readonly Choice[] {
  const whole = found.find(({ label }) => label === "kit") ?? found.at(-1);
  return found.map((kubectl) => {
    if (kubectl === whole || isWholeRun()) return { kubectl, extent: "whole" };
    return { kubectl, extent: wantedLabels.includes(kubectl.label) ? "core" : "little" };
  });
}

/**
 * One skipped test for each kubectl that is wanted and not on this machine, so that `npm test` says what it left out.
 */
export function tellMissing(found: readonly Kubectl[] = findKubectls()): void {
  const labels = new Set(found.map(({ label }) => label));
  for (const label of [...wantedLabels, "kit"].filter((each) => !labels.has(each))) {
    const reason =
      label === "kit" ? "the Kubernetes kit is not built (npm run kubernetes)" : "it is not on this machine";
    test(`all of kubectl ${label}: ${reason}`, ({ skip }) => {
      skip(true, `left out: ${reason}`);
      expect.unreachable("a skipped test does not go on");
    });
  }
}
