// SPDX-License-Identifier: Apache-2.0
// Container statuses as kubelets write them.

import { copyJson, type DraftObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, objectAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { formatTime } from "../../../apiserver/schema-decode/go-time.ts";
import { uidOf } from "../object-parts.ts";
import { hashText } from "../stable-hash.ts";

/** A long hexadecimal text that depends only on `seed`. */
function hexDigits(seed: string): string {
  return Array.from({ length: 8 }, (_, index) => hashText(`${index}${seed}`).toString(16).padStart(8, "0")).join("");
}

function imageIdOf(image: string): string {
  const name = image.includes("@") ? image.slice(0, image.indexOf("@")) : image.replace(/:[^:/]*$/, "");
  return `${name}@sha256:${hexDigits(image)}`;
}

function containerIdOf(pod: JsonObject, container: JsonObject, restartCount: number): string {
  return `containerd://${hexDigits(`${uidOf(pod)}/${textOf(container, "name")}/${restartCount}`)}`;
}

function base(container: JsonObject): DraftObject {
  return { name: textOf(container, "name"), image: textOf(container, "image"), imageID: "", lastState: {} };
}

/** A container that has not run yet. */
export function waitingStatus(container: JsonObject, reason: string, message = ""): DraftObject {
  return {
    ...base(container),
    state: { waiting: { reason, ...(message === "" ? {} : { message }) } },
    ready: false,
    restartCount: 0,
    started: false,
  };
}

/** A container that has been running since `startedAtMs`. `before` is its previous status, if any. */
export function runningStatus(
  pod: JsonObject,
  container: JsonObject,
  startedAtMs: number,
  before: JsonObject | undefined,
): DraftObject {
  const lastState = before === undefined ? undefined : objectAt(before, "lastState");
  const hasRun = lastState !== undefined && objectAt(lastState, "terminated") !== undefined;
  const restartCount = before === undefined ? 0 : countOf(before, "restartCount") + (hasRun ? 1 : 0);
  return {
    ...base(container),
    imageID: imageIdOf(textOf(container, "image")),
    containerID: containerIdOf(pod, container, restartCount),
    lastState: copyJson(lastState ?? {}),
    state: { running: { startedAt: formatTime(startedAtMs) } },
    ready: false,
    restartCount,
    started: true,
  };
}

/** How a container ended. */
export interface ContainerEnd {
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
}

function terminatedState(containerId: string, { startedAtMs, finishedAtMs, exitCode }: ContainerEnd): DraftObject {
  return {
    terminated: {
      exitCode,
      reason: exitCode === 0 ? "Completed" : "Error",
      startedAt: formatTime(startedAtMs),
      finishedAt: formatTime(finishedAtMs),
      ...(containerId === "" ? {} : { containerID: containerId }),
    },
  };
}

/** A container that terminated and is not restarted. */
export function endedStatus(
  pod: JsonObject,
  container: JsonObject,
  end: ContainerEnd,
  before: JsonObject | undefined,
): DraftObject {
  const restartCount = before === undefined ? 0 : countOf(before, "restartCount");
  const containerId = containerIdOf(pod, container, restartCount);
  return {
    ...base(container),
    imageID: imageIdOf(textOf(container, "image")),
    containerID: containerId,
    lastState: copyJson((before === undefined ? undefined : objectAt(before, "lastState")) ?? {}),
    state: terminatedState(containerId, end),
    ready: false,
    restartCount,
    started: false,
  };
}

/** A container that terminated and waits for its restart. */
export function backOffStatus(
  pod: JsonObject,
  container: JsonObject,
  end: ContainerEnd,
  options: { readonly before: JsonObject; readonly message: string },
): DraftObject {
  const restartCount = countOf(options.before, "restartCount");
  const containerId = containerIdOf(pod, container, restartCount);
  return {
    ...base(container),
    imageID: imageIdOf(textOf(container, "image")),
    containerID: containerId,
    lastState: terminatedState(containerId, end),
    state: { waiting: { reason: "CrashLoopBackOff", message: options.message } },
    ready: false,
    restartCount,
    started: false,
  };
}
