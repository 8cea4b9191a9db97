// SPDX-License-Identifier: Apache-2.0
// Log lines of playground Pods. No container runs, so lines are generated from the Pod's uid and the time; the same
// query always gives the same lines.

import { type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import { timeAt, uidOf } from "./object-parts.ts";
import { hashText } from "./stable-hash.ts";

/** The query of `pods/log`. Without a limit, all lines since the start are returned. */
export interface PodLogOptions {
  /** The first container if none is named. */
  readonly container?: string;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly timestamps?: boolean;
}

/** Mean time between two lines of one container. */
const lineEveryMs = 2500;

/** Most lines in an answer. Older lines count as rotated. */
const maxLines = 2000;

const routes = ["/api/items", "/api/cart", "/api/orders", "/healthz", "/api/users/me", "/metrics", "/api/search"];
const works = ["refreshed cache", "flushed batch", "renewed lease", "polled queue", "compacted index", "synced peers"];

/** One line and its time. */
export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** Lines of a container up to `nowMs`, the oldest first. None for a container that has not started. */
export function podLogLines(pod: JsonObject, options: PodLogOptions, nowMs: number): readonly string[] {
  const { sinceSeconds, tailLines, timestamps = false } = options;
  const fromMs = sinceSeconds === undefined ? 0 : nowMs - sinceSeconds * 1000;
  const lines = linesBetween(pod, options.container, fromMs, nowMs);
  const shown = tailLines === undefined ? lines : tailLines <= 0 ? [] : lines.slice(-tailLines);
  return shown.map((line) => formatLine(line, timestamps));
}

/** The line as sent to a client, without a line end. */
export function formatLine({ atMs, text }: LogLine, timestamps: boolean): string {
  return timestamps ? `${new Date(atMs).toISOString().replace("Z", "000000Z")} ${text}` : text;
}

/** Lines after `fromMs` up to and including `toMs`. Adjacent ranges return every line once. */
export function linesBetween(
  pod: JsonObject,
  container: string | undefined,
  fromMs: number,
  toMs: number,
): readonly LogLine[] {
  const status = statusOf(pod, container);
  if (status === undefined) return [];
  const startedAtMs =
    timeAt(status, "state", "running", "startedAt") ??
    timeAt(status, "state", "terminated", "startedAt") ??
    timeAt(status, "lastState", "terminated", "startedAt");
  if (startedAtMs === undefined) return [];
  const ended = ["state", "lastState"].map((part) => timeAt(status, part, "terminated", "finishedAt"));
  const isRunning = timeAt(status, "state", "running", "startedAt") !== undefined;
  const endedAtMs = isRunning ? undefined : (ended[0] ?? ended[1]);
  const endMs = Math.min(toMs, endedAtMs ?? toMs);
  const seed = `${uidOf(pod)}/${textOf(status, "name")}/${countOf(status, "restartCount")}`;
  const name = textOf(status, "name");
  const lines: LogLine[] = [
    { atMs: startedAtMs, text: logfmt("info", `starting ${name}`, `image=${textOf(status, "image")}`) },
    { atMs: startedAtMs + 120, text: logfmt("info", "listening", "addr=0.0.0.0:8080") },
  ];
  const firstIndex = Math.max(
    0,
    Math.floor((endMs - startedAtMs) / lineEveryMs) - maxLines,
    Math.floor((fromMs - startedAtMs) / lineEveryMs) - 2,
  );
  for (let index = firstIndex; startedAtMs + index * lineEveryMs < endMs; index += 1)
    lines.push(lineAt(seed, index, startedAtMs));
  if (endedAtMs !== undefined) lines.push(lastLine(status, endedAtMs));
  return lines.filter(({ atMs }) => atMs > fromMs && atMs <= toMs && (endedAtMs === undefined || atMs <= endedAtMs));
}

function statusOf(pod: JsonObject, container: string | undefined): JsonObject | undefined {
  const statuses = objectsAt(pod, "status", "containerStatuses");
  const initial = objectsAt(pod, "status", "initContainerStatuses");
  if (container !== undefined) return [...statuses, ...initial].find((each) => textOf(each, "name") === container);
  const first = textOf(objectsAt(pod, "spec", "containers")[0] ?? {}, "name");
  return statuses.find((each) => textOf(each, "name") === first);
}

function lineAt(seed: string, index: number, startedAtMs: number): LogLine {
  const draw = hashText(`${seed} ${index}`);
  const atMs = startedAtMs + 500 + index * lineEveryMs + (draw % lineEveryMs);
  const tookMs = 1 + ((draw >>> 8) % 180);
  if (draw % 5 < 3) {
    const route = routes[(draw >>> 4) % routes.length] ?? "/";
    const status = draw % 97 === 0 ? 500 : draw % 31 === 0 ? 404 : 200;
    const method = (draw >>> 3) % 6 === 0 ? "POST" : "GET";
    const level = status === 500 ? "error" : "info";
    return {
      atMs,
      text: logfmt(level, "request", `method=${method} path=${route} status=${status} duration=${tookMs}ms`),
    };
  }
  const work = works[(draw >>> 5) % works.length] ?? "worked";
  return { atMs, text: logfmt("info", work, `count=${(draw >>> 9) % 500} duration=${tookMs}ms`) };
}

function lastLine(status: JsonObject, atMs: number): LogLine {
  const part = timeAt(status, "state", "terminated", "finishedAt") === undefined ? "lastState" : "state";
  const exitCode = countOf(status, part, "terminated", "exitCode");
  const text =
    exitCode === 0
      ? logfmt("info", "done", "exit_code=0")
      : logfmt("fatal", "cannot reach a service this one depends on", `exit_code=${exitCode}`);
  return { atMs, text };
}

function logfmt(level: string, message: string, fields: string): string {
  return `level=${level} msg=${JSON.stringify(message)} ${fields}`;
}
