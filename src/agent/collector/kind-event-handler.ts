// SPDX-License-Identifier: Apache-2.0
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { ReflectorEvent } from "../../kube/reflector-event.ts";
import type { KindReportStore } from "./kind-report-store.ts";
import type { ObjectHandler } from "./object-handler.ts";
import type { Refusals } from "./refusals.ts";

/**
 * The handlers of one resource's objects, and the names it is reported under: its own and those of its derived kinds.
 */
export interface StoryOptions {
  readonly resources: readonly string[];
  readonly version: string;
  readonly handlers: readonly ObjectHandler[];
  readonly refusals: Refusals;
  readonly reports: KindReportStore;
}

/** Passes a reflector's events to the object handlers and keeps the kind's report up to date. */
export class KindEventHandler {
  readonly #options: StoryOptions;
  #isListing = false;
  #hasSkipped = false;
  #wasListed = false;
  /** A list was completed and no `current` event has followed it yet. */
  #isListedAgain = false;

  constructor(options: StoryOptions) {
    this.#options = options;
    this.#write({ version: options.version });
  }

  take(event: ReflectorEvent): void {
    const { handlers, refusals } = this.#options;
    switch (event.kind) {
      case "listing":
        this.#isListing = true;
        this.#hasSkipped = false;
        for (const handler of handlers) handler.beginList();
        return;
      case "object":
        for (const handler of handlers) handler.takeObject(event.object, event.identity, event.serverWallMs);
        return;
      case "deleted":
        for (const handler of handlers) handler.takeDeleted(event.identity);
        return;
      case "listed":
        this.#isListing = false;
        this.#wasListed = true;
        this.#isListedAgain = true;
        for (const handler of handlers) handler.endList(this.#hasSkipped);
        return;
      case "current":
        this.#noteCurrent(event.mode === "watch" ? KindState.WATCHING : KindState.POLLING);
        return;
      case "failed": {
        const { fault, message: error } = event.error;
        const verb = this.#isListing || !this.#wasListed ? "list" : "watch";
        this.#write({ state: KindState.FAILED, fault, verb, error });
        return;
      }
      case "skipped":
        this.#hasSkipped = true;
        refusals.noteUnread(event.error.message);
        return;
      case "overrun":
        this.#write({ overrunMs: event.tookMs });
    }
  }

  #noteCurrent(state: KindState): void {
    this.#write({ state, fault: "", verb: "", error: "" });
    const { reports, resources } = this.#options;
    // A poll lists each time, so only a watch counts as a relist (SE47).
    const isRelist = this.#isListedAgain && state === KindState.WATCHING;
    this.#isListedAgain = false;
    for (const resource of resources) {
      reports.noteCurrent(resource);
      if (isRelist) reports.noteListed(resource);
    }
  }

  #write(change: Parameters<KindReportStore["write"]>[1]): void {
    for (const resource of this.#options.resources) this.#options.reports.write(resource, change);
  }
}
