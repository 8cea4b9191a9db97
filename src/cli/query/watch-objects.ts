// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { hasCode } from "../../base/error.ts";
import { type Coverage, QueryService, type WatchObjectsResponse } from "../../gen/flotilla/query/v1/query_pb.ts";
import { type FollowCall, followHub } from "../hub/follow-hub.ts";
import { say } from "../output/io.ts";
import { coverageLine } from "./coverage-line.ts";
import { maxPageSize } from "./object-pages.ts";
import { withQueryEcho } from "./query-echo.ts";
import type { QueryFormat } from "./query-format.ts";
import { createViewPrinter } from "./view-printer.ts";
import { WatchedRows } from "./watched-rows.ts";

/** The live view to follow. */
export interface ViewWanted {
  readonly query: string;
  readonly sort: readonly string[];
  readonly facets: readonly string[];
  /** 0 = as many rows as a view can have. */
  readonly limit: number;
  readonly format: QueryFormat;
  readonly isOneNamespace?: boolean;
}

/**
 * Prints the rows of a view, then each that enters, changes or leaves, until the signal aborts (CL35). After a restart
 * of the hub, and after the hub ended it because it was read too slowly, the view resumes from its position; if the hub
 * begins with a snapshot instead, only differences are printed.
 */
export async function watchObjects(call: FollowCall, wanted: ViewWanted): Promise<void> {
  const { io, transport, signal } = call;
  const { query, sort, facets } = wanted;
  const limit = wanted.limit === 0 ? maxPageSize : wanted.limit;
  const view = new WatchedRows();
  const printer = createViewPrinter(io, wanted.format, { isOneNamespace: wanted.isOneNamespace === true });
  const notices = new ViewNotices(io, limit);
  const client = createClient(QueryService, transport);
  let position = "";
  const read = async (): Promise<void> => {
    const request = { query, sort: [...sort], facets: [...facets], limit, position };
    for await (const message of client.watchObjects(request, { signal })) {
      position = message.position;
      await printer.print(view.apply(message), message);
      notices.update(message);
    }
  };
  const resume = async (): Promise<void> => {
    for (;;) {
      const resumedFrom = position;
      try {
        return await read();
      } catch (reason) {
        if (position === "" || !hasCode(reason, "GONE")) throw reason;
        // The hub ended the view because it was read too slowly: the position resumes it, unless that itself is gone.
        if (position === resumedFrom) position = "";
      }
    }
  };
  await followHub(call, () => withQueryEcho(query, resume));
}

/** Sentences on standard error about a view: its coverage, and rows beyond its limit. Each once, until it changes. */
class ViewNotices {
  readonly #io: FollowCall["io"];
  readonly #limit: number;
  #coverage: string | undefined;
  #hasMore = false;

  constructor(io: FollowCall["io"], limit: number) {
    this.#io = io;
    this.#limit = limit;
  }

  update({ coverage, total }: WatchObjectsResponse): void {
    const present = coverageState(coverage);
    if (present !== this.#coverage) {
      const line = coverageLine(coverage);
      if (line !== undefined) say(this.#io, line);
      else if (this.#coverage !== undefined) say(this.#io, "all clusters are read and current again");
      this.#coverage = present;
    }
    const hasMore = total > BigInt(this.#limit);
    if (hasMore && !this.#hasMore)
      say(this.#io, `the view has the first ${this.#limit} of ${total} rows; narrow the query to follow all of them`);
    this.#hasMore = hasMore;
  }
}

/** Which clusters are missing or not current, without their ages; undefined if none is. */
function coverageState(coverage: Coverage | undefined): string | undefined {
  if (coverage?.isComplete === true) return undefined;
  return JSON.stringify(coverage?.clusters.map(({ cluster, state, isRead }) => [cluster, state, isRead]) ?? []);
}
