// SPDX-License-Identifier: Apache-2.0
// Holds the one stream for all tabs of a browser (PG8). The same code serves a single tab where there is no shared worker.
import type { HubTime } from "../time/hub-clock.ts";
import type { HubHop, ViewWish } from "./link.ts";
import type { Port, TabMessage, WorkerMessage } from "./port-messages.ts";
import { type LinkSurroundings, StreamLink, type TimedUpdate } from "./stream-link.ts";

/** Updates that a tab has not taken before its subscription rests: a frozen tab must not gather them without bound. */
const untakenLimit = 4;

/** One subscription of one tab. It `rests` while the tab takes nothing, and goes on from its position when it does. */
interface TabView {
  readonly wish: ViewWish;
  position: string;
  untakenCount: number;
  /** The number of its subscription in the stream; undefined while it rests. */
  streamNumber: number | undefined;
}

interface Tab {
  readonly port: Port<TabMessage, WorkerMessage>;
  readonly views: Map<number, TabView>;
}

export interface LinkHostOptions extends LinkSurroundings {
  /** Resolves when the tab that holds this lock is gone. */
  readonly whenGone: (lockName: string) => Promise<void>;
}

/** All tabs of a browser and their stream, which is open from the first subscription until the last tab is gone. */
export class LinkHost {
  readonly #options: LinkHostOptions;
  readonly #tabs = new Set<Tab>();
  #link: StreamLink | undefined;

  constructor(options: LinkHostOptions) {
    this.#options = options;
  }

  /** Takes a tab in. */
  add(port: Port<TabMessage, WorkerMessage>): void {
    const tab: Tab = { port, views: new Map() };
    port.listen((message) => this.#take(tab, message));
    this.#tabs.add(tab);
    if (this.#link !== undefined) this.#tell(tab, this.#hopMessage(this.#link.hop));
  }

  #take(tab: Tab, message: TabMessage): void {
    switch (message.kind) {
      case "hello":
        void this.#options.whenGone(message.lockName).then(() => this.#remove(tab));
        return;
      case "subscribe": {
        const view: TabView = { wish: message.wish, position: "", untakenCount: 0, streamNumber: undefined };
        tab.views.set(message.number, view);
        this.#follow(tab, message.number, view);
        return;
      }
      case "unsubscribe":
        this.#rest(tab.views.get(message.number));
        tab.views.delete(message.number);
        return;
      case "taken": {
        const view = tab.views.get(message.number);
        if (view === undefined) return;
        view.untakenCount -= 1;
        if (view.streamNumber === undefined && view.untakenCount === 0) this.#follow(tab, message.number, view);
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
      update: (update: TimedUpdate) => this.#pass(tab, number, update),
      refused: (refusal: { readonly code: string; readonly message: string }) => {
        tab.views.delete(number);
        this.#tell(tab, { kind: "refused", number, refusal });
      },
    };
    const isFirst = this.#link === undefined;
    this.#link ??= this.#createLink();
    view.streamNumber = this.#link.subscribe(view.wish, sink, view.position);
    if (isFirst) this.#link.start();
  }

  #createLink(): StreamLink {
    return new StreamLink(this.#options, { hop: (hop) => this.#tellHop(hop), time: (time) => this.#tellTime(time) });
  }

  #pass(tab: Tab, number: number, { bytes, isSnapshot, position, time }: TimedUpdate): void {
    const view = tab.views.get(number);
    if (view === undefined) return;
    view.position = position;
    view.untakenCount += 1;
    this.#tell(tab, { kind: "update", number, bytes, isSnapshot, time });
    if (view.untakenCount >= untakenLimit) this.#rest(view);
  }

  #rest(view: TabView | undefined): void {
    if (view?.streamNumber === undefined) return;
    this.#link?.unsubscribe(view.streamNumber);
    view.streamNumber = undefined;
  }

  /** The last tab takes the stream with it. */
  #remove(tab: Tab): void {
    if (!this.#tabs.delete(tab)) return;
    for (const view of tab.views.values()) this.#rest(view);
    tab.port.close();
    if (this.#tabs.size > 0) return;
    this.#link?.stop();
    this.#link = undefined;
  }

  #tellHop(hop: HubHop): void {
    for (const tab of this.#tabs) this.#tell(tab, this.#hopMessage(hop));
  }

  #tellTime(time: HubTime): void {
    for (const tab of this.#tabs) this.#tell(tab, { kind: "time", time });
  }

  #hopMessage(hop: HubHop): WorkerMessage {
    return { kind: "hop", hop, workerNowMs: this.#options.nowMs() };
  }

  #tell(tab: Tab, message: WorkerMessage): void {
    tab.port.postMessage(message);
  }
}
