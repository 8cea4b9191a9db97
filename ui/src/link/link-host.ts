// SPDX-License-Identifier: Apache-2.0
// Holds the only stream for all tabs of a browser (PG8). Also serves a single tab when there is no shared worker.
import type { HubTime } from "../time/hub-clock.ts";
import type { HubHop, ViewRequest } from "./link.ts";
import type { LinkPort, TabMessage, WorkerMessage } from "./port-messages.ts";
import { type LinkSurroundings, StreamLink, type TimedUpdate } from "./stream-link.ts";

/**
 * Maximum unacknowledged updates of a subscription before it is suspended: a frozen tab must not queue them without
 * bound.
 */
const unacknowledgedLimit = 4;

/**
 * One subscription of one tab. Suspended while the tab does not acknowledge updates; it then resumes from its position.
 */
interface TabView {
  readonly request: ViewRequest;
  position: string;
  unacknowledgedCount: number;
  /** Its subscription number in the stream; undefined while suspended. */
  streamNumber: number | undefined;
}

interface Tab {
  readonly port: LinkPort<TabMessage, WorkerMessage>;
  readonly views: Map<number, TabView>;
}

export interface LinkHostOptions extends LinkSurroundings {
  /** Resolves when the tab that holds this lock has closed. */
  readonly whenGone: (lockName: string) => Promise<void>;
}

/** All tabs of a browser and their stream, open from the first subscription until the last tab closes. */
export class LinkHost {
  readonly #options: LinkHostOptions;
  readonly #tabs = new Set<Tab>();
  #link: StreamLink | undefined;

  constructor(options: LinkHostOptions) {
    this.#options = options;
  }

  /** Adds a tab. */
  add(port: LinkPort<TabMessage, WorkerMessage>): void {
    const tab: Tab = { port, views: new Map() };
    port.listen((message) => this.#take(tab, message));
    this.#tabs.add(tab);
    if (this.#link !== undefined) this.#send(tab, this.#hopMessage(this.#link.hop));
  }

  #take(tab: Tab, message: TabMessage): void {
    switch (message.kind) {
      case "hello":
        void this.#options.whenGone(message.lockName).then(() => this.#remove(tab));
        return;
      case "subscribe": {
        const view: TabView = {
          request: message.request,
          position: "",
          unacknowledgedCount: 0,
          streamNumber: undefined,
        };
        tab.views.set(message.number, view);
        this.#follow(tab, message.number, view);
        return;
      }
      case "unsubscribe":
        this.#suspend(tab.views.get(message.number));
        tab.views.delete(message.number);
        return;
      case "taken": {
        const view = tab.views.get(message.number);
        if (view === undefined) return;
        view.unacknowledgedCount -= 1;
        if (view.streamNumber === undefined && view.unacknowledgedCount === 0) this.#follow(tab, message.number, view);
        return;
      }
      case "wake":
        this.#link?.wake();
        return;
      case "bye":
        this.#remove(tab);
    }
  }

  #follow(tab: Tab, number: number, view: TabView): void {
    const sink = {
      update: (update: TimedUpdate) => this.#forward(tab, number, update),
      refused: (refusal: { readonly code: string; readonly message: string }) => {
        tab.views.delete(number);
        this.#send(tab, { kind: "refused", number, refusal });
      },
    };
    const isFirst = this.#link === undefined;
    this.#link ??= this.#createLink();
    view.streamNumber = this.#link.subscribe(view.request, sink, view.position);
    if (isFirst) this.#link.start();
  }

  #createLink(): StreamLink {
    return new StreamLink(this.#options, { hop: (hop) => this.#sendHop(hop), time: (time) => this.#sendTime(time) });
  }

  #forward(tab: Tab, number: number, { bytes, isSnapshot, position, time }: TimedUpdate): void {
    const view = tab.views.get(number);
    if (view === undefined) return;
    view.position = position;
    view.unacknowledgedCount += 1;
    this.#send(tab, { kind: "update", number, bytes, isSnapshot, time });
    if (view.unacknowledgedCount >= unacknowledgedLimit) this.#suspend(view);
  }

  #suspend(view: TabView | undefined): void {
    if (view?.streamNumber === undefined) return;
    this.#link?.unsubscribe(view.streamNumber);
    view.streamNumber = undefined;
  }

  /** Removes a tab; the last one closes the stream. */
  #remove(tab: Tab): void {
    if (!this.#tabs.delete(tab)) return;
    for (const view of tab.views.values()) this.#suspend(view);
    tab.port.close();
    if (this.#tabs.size > 0) return;
    this.#link?.stop();
    this.#link = undefined;
  }

  #sendHop(hop: HubHop): void {
    for (const tab of this.#tabs) this.#send(tab, this.#hopMessage(hop));
  }

  #sendTime(time: HubTime): void {
    for (const tab of this.#tabs) this.#send(tab, { kind: "time", time });
  }

  #hopMessage(hop: HubHop): WorkerMessage {
    return { kind: "hop", hop, workerNowMs: this.#options.nowMs() };
  }

  #send(tab: Tab, message: WorkerMessage): void {
    tab.port.postMessage(message);
  }
}
