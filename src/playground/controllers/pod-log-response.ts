// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../apiserver/json/json.ts";
import { objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import type { ApiResponse } from "../../apiserver/request/api-request.ts";
import type { ObjectReader } from "../../apiserver/resources/object-reader.ts";
import { badRequest, notFound } from "../../apiserver/status/api-error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { nameOf } from "./object-parts.ts";
import { formatLine, linesBetween, podLogLines } from "./pod-log.ts";

const encoder = new TextEncoder();

/** Time between two checks for new lines of a followed log. */
const followEveryMs = 1000;

/** Clock and signal for following a log. It ends when the signal aborts or the Pod is gone. */
export interface FollowOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Answers `pods/log`. Throws the real server's refusals. Without `follow`, a followed log ends at once. */
export function podLogResponse(
  objects: ObjectReader,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  query: URLSearchParams,
  nowMs: number,
  follow?: FollowOptions,
): ApiResponse {
  const pod = objects.get("pods", namespace, name);
  if (pod === undefined) throw notFound({ group: "", resource: "pods" }, name);
  const container = chooseContainer(pod, query.get("container") ?? "");
  const timestamps = query.get("timestamps") === "true";
  const tailLines = wholeNumber(query.get("tailLines"));
  const sinceSeconds = wholeNumber(query.get("sinceSeconds"));
  const lines = podLogLines(
    pod,
    {
      container,
      timestamps,
      ...(tailLines === undefined ? {} : { tailLines }),
      ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    },
    nowMs,
  );
  const text = lines.map((line) => `${line}\n`).join("");
  const body =
    follow !== undefined && query.get("follow") === "true"
      ? followLines(objects, { namespace, name, container, timestamps, text, fromMs: nowMs }, follow)
      : encoder.encode(text);
  return { status: 200, contentType: "text/plain", body };
}

interface Followed {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  readonly timestamps: boolean;
  /** The lines so far. */
  readonly text: string;
  readonly fromMs: number;
}

async function* followLines(
  objects: ObjectReader,
  { namespace, name, container, timestamps, text, fromMs }: Followed,
  { clock, signal }: FollowOptions,
): AsyncGenerator<Uint8Array> {
  if (text !== "") yield encoder.encode(text);
  let sentUntilMs = fromMs;
  while (!signal.aborted) {
    await clock.sleep(followEveryMs, signal);
    const pod = objects.get("pods", namespace, name);
    if (pod === undefined) return;
    const nowMs = clock.wallMs();
    const lines = linesBetween(pod, container, sentUntilMs, nowMs);
    sentUntilMs = nowMs;
    if (lines.length > 0) yield encoder.encode(lines.map((line) => `${formatLine(line, timestamps)}\n`).join(""));
  }
}

/** The requested container. Throws if the Pod has several and none is named, or if the named one has not run. */
function chooseContainer(pod: JsonObject, requested: string): string {
  const names = objectsAt(pod, "spec", "containers").map((each) => textOf(each, "name"));
  const initial = objectsAt(pod, "spec", "initContainers").map((each) => textOf(each, "name"));
  const [first = ""] = names;
  if (requested === "" && names.length > 1)
    throw badRequest(`a container name must be specified for pod ${nameOf(pod)}, choose one of: [${names.join(" ")}]`);
  const name = requested === "" ? first : requested;
  if (![...names, ...initial].includes(name)) throw badRequest(`container ${name} is not valid for pod ${nameOf(pod)}`);
  const statuses = [
    ...objectsAt(pod, "status", "containerStatuses"),
    ...objectsAt(pod, "status", "initContainerStatuses"),
  ];
  const status = statuses.find((each) => textOf(each, "name") === name) ?? {};
  const waiting = textOf(status, "state", "waiting", "reason");
  if (waiting === "ErrImagePull" || waiting === "ImagePullBackOff") {
    const why = "trying and failing to pull image";
    throw badRequest(`container "${name}" in pod "${nameOf(pod)}" is waiting to start: ${why}`);
  }
  if (waiting !== "" && waiting !== "CrashLoopBackOff")
    throw badRequest(`container "${name}" in pod "${nameOf(pod)}" is waiting to start: ${waiting}`);
  return name;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
