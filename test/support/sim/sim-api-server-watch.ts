// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../../src/base/time/clock.ts";
import { KubeError } from "../../../src/kube/kube-error.ts";
import { SimBody } from "./sim-api-server-body.ts";
import type { SimChange, SimFilter, SimResource } from "./sim-api-server-store.ts";

const encoder = new TextEncoder();

/** kube-apiserver sends a last bookmark that long before it ends a watch. */
const lastBookmarkMs = 2_000;

/** What a watch needs of its server. */
export interface SimWatchOptions {
  readonly clock: Clock;
  readonly resource: SimResource;
  readonly filter: SimFilter;
  readonly bookmarkEveryMs: number;
  readonly timeoutMs: number;
  /** Changes up to here are not told, also where it lies in the future. */
  readonly afterRevision: number;
  /** The position to tell in a bookmark. */
  readonly revision: () => number;
  /** How long one change takes to this watcher. */
  readonly drawDelayMs: () => number;
  readonly signal: AbortSignal;
  readonly onClosed: (watch: SimWatch) => void;
}

/** One line of a watch. */
function eventLine(type: string, objectJson: string): string {
  return `{"type":"${type}","object":${objectJson}}\n`;
}

/** The object of a bookmark at a position. */
function bookmarkJson({ group, version, kind }: SimResource, revision: number, endsInitialEvents: boolean): string {
  const annotations = endsInitialEvents ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return JSON.stringify({ kind, apiVersion, metadata: { resourceVersion: String(revision), ...annotations } });
}

/** A watch under way. Changes reach it in order, a drawn while after they were made. */
export class SimWatch {
  readonly body: SimBody;
  readonly #options: SimWatchOptions;
  readonly #endsAtMs: number;
  #pending: string[] = [];
  #cancelDelivery: CancelTimer | undefined;
  #cancelBookmark: CancelTimer | undefined;
  #isSilent = false;

  constructor(options: SimWatchOptions) {
    this.#options = options;
    this.#endsAtMs = options.clock.nowMs() + options.timeoutMs;
    this.body = new SimBody(options.signal, () => this.#release());
    if (this.body.isOpen) this.#armBookmark();
  }

  get resource(): SimResource {
    return this.#options.resource;
  }

  /** Tells a change if it is one of those watched. */
  change({ revision, type, object }: SimChange): void {
    const { filter, afterRevision } = this.#options;
    if (revision > afterRevision && filter(object)) this.#send(eventLine(type, object.json));
  }

  bookmark(endsInitialEvents = false): void {
    const { resource, revision } = this.#options;
    this.#send(eventLine("BOOKMARK", bookmarkJson(resource, revision(), endsInitialEvents)));
  }

  /** The server ends it, with what was on its way delivered. */
  end(): void {
    this.#deliver();
    this.body.finish({ kind: "end" });
  }

  /** An ERROR event, then the end. */
  fail(status: { readonly code: number; readonly reason: string; readonly message: string }): void {
    this.#deliver();
    const json = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", ...status });
    this.body.push(encoder.encode(eventLine("ERROR", json)));
    this.body.finish({ kind: "end" });
  }

  /** The connection breaks; what was on its way is lost. */
  reset(): void {
    this.body.finish({ kind: "error", error: new KubeError("tcp", "the connection was reset") });
  }

  /** Nothing comes any more, and nobody is told. */
  silence(): void {
    this.#isSilent = true;
    this.#pending = [];
    this.#cancelDelivery?.();
    this.#cancelBookmark?.();
  }

  #send(line: string): void {
    if (this.#isSilent || !this.body.isOpen) return;
    this.#pending.push(line);
    if (this.#cancelDelivery !== undefined) return;
    this.#cancelDelivery = this.#options.clock.setTimer(this.#options.drawDelayMs(), () => this.#deliver());
  }

  #deliver(): void {
    this.#cancelDelivery?.();
    this.#cancelDelivery = undefined;
    const lines = this.#pending;
    this.#pending = [];
    if (lines.length > 0) this.body.push(encoder.encode(lines.join("")));
    if (this.body.isSlow) this.body.finish({ kind: "end" });
  }

  #armBookmark(): void {
    const { clock, bookmarkEveryMs } = this.#options;
    const leftMs = this.#endsAtMs - clock.nowMs();
    const beforeEndMs = leftMs > lastBookmarkMs ? leftMs - lastBookmarkMs : leftMs;
    this.#cancelBookmark = clock.setTimer(Math.min(bookmarkEveryMs, beforeEndMs), () => {
      if (clock.nowMs() >= this.#endsAtMs) {
        this.end();
        return;
      }
      this.bookmark();
      this.#armBookmark();
    });
  }

  #release(): void {
    this.#cancelDelivery?.();
    this.#cancelBookmark?.();
    this.#options.onClosed(this);
  }
}
