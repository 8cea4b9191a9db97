// SPDX-License-Identifier: Apache-2.0
// Durations in a Pod's life, drawn from its uid, so that they do not change with a restart of the process.

import { type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf, textsAt } from "../../../apiserver/json/json-fields.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { annotationOf, uidOf } from "../object-parts.ts";

/** Overrides how many seconds a Pod that ends by itself runs. */
const runSecondsAnnotation = "playground.flotilla.dev/run-seconds";

/** The durations of one run of a Pod's containers. */
export interface PodPlan {
  /** From the start of the Pod to running containers. */
  readonly startMs: number;
  /** From running to ready. */
  readonly readyMs: number;
  /** From running to the end of a container that finishes or crashes. */
  readonly runMs: number;
  /** From deletion to the end, if the grace period allows it. */
  readonly stopMs: number;
  /** Exit code of a container that ends by itself. */
  readonly exitCode: number;
}

/** Upper bound for `initialDelaySeconds` of readiness probes, to keep the playground responsive. */
const maxProbeDelayMs = 20_000;

/** Upper bound for the run time of a container that ends by itself. */
const maxRunMs = 600_000;

/** The plan of a Pod whose containers have restarted `restartCount` times. */
export function planPod(pod: JsonObject, restartCount: number): PodPlan {
  const random = createSeededRandom(uidOf(pod));
  const between = (low: number, high: number): number => low + random.int(high - low);
  const startMs = between(600, 2800);
  const probed = objectsAt(pod, "spec", "containers").filter((each) => each["readinessProbe"] !== undefined);
  const probeMs = Math.max(
    0,
    ...probed.map((each) => Math.min(countOf(each, "readinessProbe", "initialDelaySeconds") * 1000, maxProbeDelayMs)),
  );
  const readyMs = probed.length === 0 ? between(0, 300) : probeMs + between(500, 2500);
  const stopMs = between(300, 1800);
  const runRandom = random.fork(`run ${restartCount}`);
  const command = objectsAt(pod, "spec", "containers")
    .map((each) => [...textsAt(each, "command"), ...textsAt(each, "args")].join(" "))
    .join("\n");
  return {
    startMs,
    readyMs,
    runMs: explicitRunMs(pod, command) ?? 3000 + runRandom.int(9000),
    stopMs,
    exitCode: explicitExitCode(command),
  };
}

function explicitRunMs(pod: JsonObject, command: string): number | undefined {
  const annotated = Number(annotationOf(pod, runSecondsAnnotation) ?? Number.NaN);
  const slept = /\bsleep (\d{1,6})\b/.exec(command)?.[1];
  const seconds = Number.isNaN(annotated) ? (slept === undefined ? undefined : Number(slept)) : annotated;
  return seconds === undefined ? undefined : Math.min(Math.max(0, seconds) * 1000, maxRunMs);
}

/** `exit N` in the command exits with N; `false` exits with 1; any other command succeeds. */
function explicitExitCode(command: string): number {
  const found = /\bexit (\d{1,3})\b/.exec(command)?.[1];
  if (found !== undefined) return Number(found) % 256;
  return /^(?:\/bin\/|\/usr\/bin\/)?false$/.test(command.trim()) ? 1 : 0;
}

/** Whether the image's name marks it as missing from every registry. */
export function isMissingImage(image: string): boolean {
  return /does-not-exist|nonexistent|no-such-image/.test(image);
}

/** The kubelet's back-off between restarts: 10 s, doubled each time, at most five minutes. */
export function restartDelayMs(restartCount: number): number {
  return Math.min(10_000 * 2 ** Math.min(restartCount, 10), 300_000);
}

/** Whether a Pod ends by itself. */
export function isBatchPod(pod: JsonObject): boolean {
  const policy = textOf(pod, "spec", "restartPolicy");
  return policy === "Never" || policy === "OnFailure";
}
