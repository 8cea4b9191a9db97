// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { waitingStatus } from "./container-status.ts";
import { setContainerStatuses, setPodConditions, statusOfContainer } from "./pod-conditions.ts";
import type { PodNote, PodStep } from "./pod-step.ts";

/** How long one failing attempt to pull an image takes. */
const attemptMs = 2000;

/** The events of a container whose image was pulled and that starts. */
export function pullEvents(container: JsonObject, tookMs: number): readonly PodNote[] {
  const name = textOf(container, "name");
  const image = textOf(container, "image");
  const seconds = (tookMs / 1000).toFixed(3).replace(/\.?0+$/, "");
  const pulled =
    tookMs === 0
      ? `Container image "${image}" already present on machine`
      : `Successfully pulled image "${image}" in ${seconds}s (${seconds}s including waiting)`;
  return [
    { type: "Normal", reason: "Pulled", message: pulled, container: name },
    { type: "Normal", reason: "Created", message: `Created container: ${name}`, container: name },
    { type: "Normal", reason: "Started", message: `Started container ${name}`, container: name },
  ];
}

/**
 * The step of containers whose image cannot be pulled. Attempts are 10, 20, 40 … seconds apart, at most five minutes,
 * counted from the start of the Pod. Between attempts the containers back off. The time alone decides which of both
 * applies.
 */
export function pullFailure(
  pod: JsonObject,
  failing: readonly JsonObject[],
  startedAtMs: number,
  nowMs: number,
): PodStep {
  const { isAttempt, leftMs } = attemptAt(nowMs - startedAtMs);
  const reason = isAttempt ? "ErrImagePull" : "ImagePullBackOff";
  const isWritten = failing.every((each) => {
    const status = statusOfContainer(pod, textOf(each, "name"));
    return status !== undefined && textOf(status, "state", "waiting", "reason") === reason;
  });
  if (isWritten) return { waitMs: leftMs };
  return {
    waitMs: leftMs,
    notes: failing.flatMap((each) => failureNotes(each, isAttempt)),
    change(draft) {
      const statuses = objectsAt(pod, "spec", "containers").map((each): DraftObject => {
        if (!failing.includes(each)) return waitingStatus(each, "ContainerCreating");
        const image = textOf(each, "image");
        return waitingStatus(each, reason, isAttempt ? failureText(image) : `Back-off pulling image "${image}"`);
      });
      setContainerStatuses(draft, statuses);
      setPodConditions(draft, nowMs, { hasSandbox: true });
    },
  };
}

function attemptAt(elapsedMs: number): { readonly isAttempt: boolean; readonly leftMs: number } {
  let beginMs = 0;
  for (let gapMs = 10_000; ; gapMs = Math.min(gapMs * 2, 300_000)) {
    if (elapsedMs < beginMs + attemptMs) return { isAttempt: true, leftMs: beginMs + attemptMs - elapsedMs };
    if (elapsedMs < beginMs + gapMs) return { isAttempt: false, leftMs: beginMs + gapMs - elapsedMs };
    // Once the gaps are equally long, whole gaps are skipped at once.
    beginMs += gapMs === 300_000 ? Math.max(1, Math.floor((elapsedMs - beginMs) / gapMs)) * gapMs : gapMs;
  }
}

function failureText(image: string): string {
  const name = image.replace(/^docker\.io\//, "");
  return `rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/${name}": failed to resolve reference "docker.io/${name}": not found`;
}

function failureNotes(container: JsonObject, isAttempt: boolean): readonly PodNote[] {
  const name = textOf(container, "name");
  const image = textOf(container, "image");
  if (!isAttempt)
    return [
      { type: "Normal", reason: "BackOff", message: `Back-off pulling image "${image}"`, container: name },
      { type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff", container: name },
    ];
  return [
    {
      type: "Warning",
      reason: "Failed",
      message: `Failed to pull image "${image}": ${failureText(image)}`,
      container: name,
    },
    { type: "Warning", reason: "Failed", message: "Error: ErrImagePull", container: name },
  ];
}
