// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import type { Logger } from "../../../base/log.ts";
import type { TaskGuard } from "../../../base/task-guard.ts";
import type { HistoryEntry } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { quote } from "../../../model/text.ts";
import type { AppliedKind } from "../../sessions/session-events.ts";
import { parsePosition, positionText, type ViewReader, type ViewUpdate } from "../live-view.ts";
import type { RowReaders, UserScope } from "../user-scopes.ts";
import { RecentHistory } from "./cluster-history.ts";
import { ClusterPage, type ClusterPageOptions } from "./cluster-page.ts";

export interface ClusterPagesOptions extends Omit<ClusterPageOptions, "id"> {
  readonly runId: string;
  readonly log: Logger;
  readonly guard: TaskGuard;
  /** Loads a cluster's stored history. */
  readonly loadHistory: (cluster: string) => Promise<readonly HistoryEntry[]>;
  readonly onEncoded: (bytes: number) => void;
  /** The users as which rows are read. */
  readonly readAccess: () => Promise<RowReaders>;
}

/** Pages kept without viewers, for browsers that reconnect. Least recently left pages are dropped first. */
const maxIdleCount = 32;

/** The pages of clusters that have viewers, one per cluster. */
export class ClusterPages {
  readonly #options: ClusterPagesOptions;
  readonly #pages = new Map<string, ClusterPage>();
  readonly #recent = new RecentHistory();
  readonly #updates = new Map<string, ViewUpdate | undefined>();
  readonly #loads = new Set<Promise<void>>();
  /** Clusters whose page could not be refreshed. */
  readonly #failed = new Set<string>();
  #step = 0;

  constructor(options: ClusterPagesOptions) {
    this.#options = options;
  }

  /** Counts the changes of a flush, if the cluster has a page. */
  addRates(cluster: string, kinds: readonly AppliedKind[], nowMs: number): void {
    this.#pages.get(cluster)?.addRates(kinds, nowMs);
  }

  /** Adds an entry to a cluster's history. */
  addHistory(cluster: string, entry: HistoryEntry): void {
    this.#recent.add(cluster, entry);
    this.#pages.get(cluster)?.addHistory(entry);
  }

  /** Reads the rows of the pages that have viewers. Does not reject. */
  async readRows(readers: RowReaders): Promise<void> {
    const viewed = [...this.#pages.values()].filter(({ viewerCount }) => viewerCount > 0);
    await Promise.all(viewed.map((page) => page.readRows(readers.get(page.id))));
  }

  /** Starts a new step, after the fleet's entries were refreshed. */
  refresh(step: number): void {
    this.#step = step;
    this.#updates.clear();
    for (const page of this.#pages.values()) if (page.viewerCount > 0) this.#refreshPage(page, step);
  }

  /** A page whose refresh fails is not shown; its viewers get an error (PG30). */
  #refreshPage(page: ClusterPage, step: number): void {
    const isCurrent = this.#options.guard.run("page of a cluster", () => page.refresh(step), { cluster: page.id });
    if (isCurrent) this.#failed.delete(page.id);
    else this.#failed.add(page.id);
  }

  /**
   * A reader of one cluster's page. For a cluster that the viewer may not see it throws the same NOT_FOUND as for an
   * unknown one (PG12).
   */
  open(cluster: string, position: string, user: Pick<UserScope, "scope" | "seesObjects">): ViewReader {
    let page: ClusterPage | undefined;
    let seen = parsePosition(this.#options.runId, position);
    let hasRead = false;
    return {
      view: "cluster",
      read: () => {
        if (page !== undefined || !user.scope.ids.has(cluster)) return undefined;
        page = this.#enter(cluster);
        return this.#prepare(page, user);
      },
      next: () => {
        const { ids, accessKeys } = user.scope;
        if (!ids.has(cluster) || page === undefined) throw notFound(cluster);
        if (this.#failed.has(cluster)) throw failed(cluster);
        const variant = variantOf(cluster, accessKeys.get(cluster));
        const isKept = seen !== undefined && seen.step >= page.sinceStep && seen.step <= this.#step;
        const canResume = seen?.variant === variant && (hasRead || isKept);
        const update = this.#update(page, variant, canResume ? seen?.step : undefined, accessKeys.get(cluster));
        seen = { variant, step: this.#step };
        hasRead = true;
        return update;
      },
      close: () => {
        if (page !== undefined) this.#leave(page);
        page = undefined;
      },
    };
  }

  /** Resolves when no load from the store is running. */
  async settled(): Promise<void> {
    await Promise.all(this.#loads);
  }

  #update(
    page: ClusterPage,
    variant: string,
    fromStep: number | undefined,
    accessKey: string | undefined,
  ): ViewUpdate | undefined {
    const { runId, onEncoded } = this.#options;
    const key = `${page.id} ${variant} ${fromStep ?? ""}`;
    if (this.#updates.has(key)) return this.#updates.get(key);
    const bytes = page.encode(fromStep, accessKey);
    if (bytes !== undefined) onEncoded(bytes.length);
    const position = positionText(runId, { variant, step: this.#step });
    const update = bytes === undefined ? undefined : { position, isSnapshot: fromStep === undefined, bytes };
    this.#updates.set(key, update);
    return update;
  }

  #enter(cluster: string): ClusterPage {
    const page = this.#pages.get(cluster) ?? this.#create(cluster);
    page.viewerCount += 1;
    return page;
  }

  /** Refreshes a page that was not refreshed while it had no viewer, with its rows if this viewer sees them. */
  #prepare(page: ClusterPage, user: Pick<UserScope, "scope" | "seesObjects">): Promise<void> | undefined {
    const isFirst = page.viewerCount === 1;
    const accessKey = user.scope.accessKeys.get(page.id);
    const isRead = accessKey !== undefined && page.hasRows(accessKey);
    if (user.seesObjects && (isFirst || !isRead)) return this.#readAndRefresh(page);
    if (isFirst) this.#refreshPage(page, this.#step);
    return undefined;
  }

  async #readAndRefresh(page: ClusterPage): Promise<void> {
    const readers = await this.#options.readAccess();
    await page.readRows(readers.get(page.id));
    this.#refreshPage(page, this.#step);
  }

  #create(cluster: string): ClusterPage {
    const page = new ClusterPage({ ...this.#options, id: cluster }, this.#step);
    this.#pages.set(cluster, page);
    const load = this.#load(page).finally(() => this.#loads.delete(load));
    this.#loads.add(load);
    return page;
  }

  /** If loading fails, the page shows recent entries only. */
  async #load(page: ClusterPage): Promise<void> {
    try {
      page.addPast(await this.#options.loadHistory(page.id));
    } catch (reason) {
      this.#options.log.warn("could not load a cluster's history", { cluster: page.id }, reason);
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

/** Makes positions invalid for another cluster, or for a viewer who sees other objects of it. */
function variantOf(cluster: string, accessKey: string | undefined): string {
  let sum = 0;
  for (const character of `${accessKey ?? ""} ${cluster}`) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 40;
  return `${accessKey === undefined ? "p" : "o"}${sum.toString(36)}`;
}

function notFound(id: string): FlotillaError {
  return new FlotillaError("NOT_FOUND", `there is no cluster ${quote(id)}`);
}

function failed(id: string): FlotillaError {
  return new FlotillaError("INTERNAL", `the page of cluster ${quote(id)} could not be prepared; see the hub's log`);
}
