// SPDX-License-Identifier: Apache-2.0
// How long the parts of a Pod's life take: drawn from its uid, so that every start of the process comes to the same times.
import type { JsonObject } from "../../../apiserver/json/json.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { annotationOf, countOf, objectsAt, textOf, textsAt, uidOf } from "../object-parts.ts";

/** Seconds that a Pod which ends by itself runs, for whoever wants to say so. */
export const runSecondsAnnotation = "playground.flotilla.dev/run-seconds";

/** The times of one run of a Pod's containers. */
export interface PodPlan {
  /** From the start of the Pod to running containers. */
  readonly startMs: number;
  /** From running to ready. */
  readonly readyMs: number;
  /** From running to the end of a container that ends by itself, or that crashes. */
  readonly runMs: number;
  /** From the wish to end to the end, where the grace allows it. */
  readonly stopMs: number;
  /** What a container that ends by itself ends with. */
  readonly exitCode: number;
}

/** Readiness probes that begin later than this are not waited for: somebody is watching. */
const maxProbeDelayMs = 20_000;

/** What a container that ends by itself is waited for at most, whatever it says. */
const maxRunMs = 600_000;

/** The plan of a Pod whose containers have been restarted this often. */
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
    runMs: saidRunMs(pod, command) ?? 3000 + runRandom.int(9000),
    stopMs,
    exitCode: saidExitCode(command),
  };
}

function saidRunMs(pod: JsonObject, command: string): number | undefined {
  const annotated = Number(annotationOf(pod, runSecondsAnnotation) ?? Number.NaN);
  const slept = /\bsleep (\d{1,6})\b/.exec(command)?.[1];
  const seconds = Number.isNaN(annotated) ? (slept === undefined ? undefined : Number(slept)) : annotated;
  return seconds === undefined ? undefined : Math.min(Math.max(0, seconds) * 1000, maxRunMs);
}

/** A shell that is told to exit with a number does; `false` fails. Everything else goes well. */
function saidExitCode(command: string): number {
  const said = /\bexit (\d{1,3})\b/.exec(command)?.[1];
  if (said !== undefined) return Number(said) % 256;
  return /^(?:\/bin\/|\/usr\/bin\/)?false$/.test(command.trim()) ? 1 : 0;
}

/** Images that no registry has: their names say so. */
export function isMissingImage(image: string): boolean {
  return /does-not-exist|nonexistent|no-such-image/.test(image);
}

/** The kubelet's back-off between restarts: from 10 s, doubled, to five minutes. */
export function restartDelayMs(restartCount: number): number {
  return Math.min(10_000 * 2 ** Math.min(restartCount, 10), 300_000);
}

/** Whether a Pod ends by itself. */
export function isBatchPod(pod: JsonObject): boolean {
  const policy = textOf(pod, "spec", "restartPolicy");
  return policy === "Never" || policy === "OnFailure";
}
