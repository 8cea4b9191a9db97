// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { TaskGuard } from "../../base/task-guard.ts";
import type { HistoryEntry } from "../../gen/flotilla/page/v1/page_pb.ts";
import { quote } from "../../model/text.ts";
import type { AppliedKind } from "../fleet/fleet-observer.ts";
import { RecentHistory } from "./cluster-history.ts";
import { ClusterPage, type ClusterPageOptions } from "./cluster-page.ts";
import { parsePosition, positionText, type ViewReader, type ViewUpdate } from "./live-view.ts";
import type { Scope } from "./scope-book.ts";

export interface ClusterPagesOptions extends Omit<ClusterPageOptions, "id"> {
  readonly runId: string;
  readonly log: Logger;
  readonly guard: TaskGuard;
  /** What the store has of a cluster's history. */
  readonly loadHistory: (cluster: string) => Promise<readonly HistoryEntry[]>;
  readonly onEncoded: (bytes: number) => void;
}

/** Pages kept after the last viewer left, for one who comes back: a browser that reconnects. The one left first is dropped first. */
const maxIdleCount = 32;

/** The pages of clusters that somebody looks at, one for all viewers of a cluster. */
export class ClusterPages {
  readonly #options: ClusterPagesOptions;
  readonly #pages = new Map<string, ClusterPage>();
  readonly #recent = new RecentHistory();
  readonly #updates = new Map<string, ViewUpdate | undefined>();
  readonly #loads = new Set<Promise<void>>();
  /** Clusters whose page could not be brought up to date. */
  readonly #failed = new Set<string>();
  #step = 0;

  constructor(options: ClusterPagesOptions) {
    this.#options = options;
  }

  /** Counts what a flush brought, where somebody looks. */
  addRates(cluster: string, kinds: readonly AppliedKind[], nowMs: number): void {
    this.#pages.get(cluster)?.addRates(kinds, nowMs);
  }

  /** Something happened to a cluster that its history tells. */
  addHistory(cluster: string, entry: HistoryEntry): void {
    this.#recent.add(cluster, entry);
    this.#pages.get(cluster)?.addHistory(entry);
  }

  /** A new step: the clusters are up to date. */
  refresh(step: number): void {
    this.#step = step;
    this.#updates.clear();
    for (const page of this.#pages.values()) if (page.viewerCount > 0) this.#refreshPage(page, step);
  }

  /** A page that cannot be brought up to date is not shown; its viewers are told so (PG30). */
  #refreshPage(page: ClusterPage, step: number): void {
    const isCurrent = this.#options.guard.run("page of a cluster", () => page.refresh(step), { cluster: page.id });
    if (isCurrent) this.#failed.delete(page.id);
    else this.#failed.add(page.id);
  }

  /** A reader of one cluster's page; of a cluster that the viewer does not see there is none, as of one that does not exist (PG12). */
  open(cluster: string, position: string, scopeNow: () => Scope): ViewReader {
    let page: ClusterPage | undefined;
    let standing = parsePosition(this.#options.runId, position);
    let isOwn = false;
    return {
      view: "cluster",
      next: () => {
        const { ids, seesObjects } = scopeNow();
        if (!ids.has(cluster)) throw notFound(cluster);
        page ??= this.#enter(cluster);
        if (this.#failed.has(cluster)) throw failed(cluster);
        const variant = variantOf(cluster, seesObjects);
        const isKept = standing !== undefined && standing.step > page.sinceStep && standing.step <= this.#step;
        const canGoOn = standing?.variant === variant && (isOwn || isKept);
        const update = this.#update(page, variant, canGoOn ? standing?.step : undefined, seesObjects);
        standing = { variant, step: this.#step };
        isOwn = true;
        return update;
      },
      close: () => {
        if (page !== undefined) this.#leave(page);
        page = undefined;
      },
    };
  }

  /** Resolves when nothing is being read from the store. */
  async settled(): Promise<void> {
    await Promise.all(this.#loads);
  }

  #update(
    page: ClusterPage,
    variant: string,
    fromStep: number | undefined,
    seesObjects: boolean,
  ): ViewUpdate | undefined {
    const { runId, onEncoded } = this.#options;
    const key = `${page.id} ${variant} ${fromStep ?? ""}`;
    if (this.#updates.has(key)) return this.#updates.get(key);
    const bytes = page.encode(fromStep, seesObjects);
    if (bytes !== undefined) onEncoded(bytes.length);
    const position = positionText(runId, { variant, step: this.#step });
    const update = bytes === undefined ? undefined : { position, isSnapshot: fromStep === undefined, bytes };
    this.#updates.set(key, update);
    return update;
  }

  #enter(cluster: string): ClusterPage {
    const page = this.#pages.get(cluster) ?? this.#create(cluster);
    page.viewerCount += 1;
    if (page.viewerCount === 1) this.#refreshPage(page, this.#step);
    return page;
  }

  #create(cluster: string): ClusterPage {
    const page = new ClusterPage({ ...this.#options, id: cluster }, this.#step);
    this.#pages.set(cluster, page);
    const load = this.#load(page).finally(() => this.#loads.delete(load));
    this.#loads.add(load);
    return page;
  }

  /** Without what is stored a page shows what happened lately. */
  async #load(page: ClusterPage): Promise<void> {
    try {
      page.addPast(await this.#options.loadHistory(page.id));
    } catch (reason) {
      this.#options.log.warn("history could not be read", { cluster: page.id }, reason);
    }
    page.addPast(this.#recent.of(page.id));
  }

  #leave(page: ClusterPage): void {
    page.viewerCount -= 1;
    if (page.viewerCount > 0) return;
    this.#pages.delete(page.id);
    this.#pages.set(page.id, page);
    const idle = [...this.#pages.values()].filter(({ viewerCount }) => viewerCount === 0);
    for (const { id } of idle.slice(0, Math.max(0, idle.length - maxIdleCount))) {
      this.#pages.delete(id);
      this.#failed.delete(id);
    }
  }
}

/** Positions of one cluster's page are none of another's, nor of one that shows more or less. */
function variantOf(cluster: string, seesObjects: boolean): string {
  let sum = seesObjects ? 1 : 0;
  for (const character of cluster) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 40;
  return `${seesObjects ? "o" : "p"}${sum.toString(36)}`;
}

function notFound(id: string): FlotillaError {
  return new FlotillaError("NOT_FOUND", `there is no cluster ${quote(id)}`);
}

function failed(id: string): FlotillaError {
  return new FlotillaError(
    "INTERNAL",
    `the page of cluster ${quote(id)} could not be prepared; the hub's log says why`,
  );
}
