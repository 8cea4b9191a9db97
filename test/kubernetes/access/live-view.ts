// SPDX-License-Identifier: Apache-2.0
import { createClient, type Transport } from "@connectrpc/connect";
import { QueryService } from "../../../src/gen/flotilla/query/v1/query_pb.ts";

/** An open live view of a query, as its reader has it after the newest update. Close it, or it stays. */
export class LiveView {
  readonly #over = new AbortController();
  readonly #reading: Promise<void>;
  readonly #keys = new Set<string>();
  readonly #onUpdate = new Set<() => void>();
  #total = 0;
  #facetValues: readonly string[] = [];

  constructor(transport: Transport, query: string, facets: readonly string[] = []) {
    const { signal } = this.#over;
    const updates = createClient(QueryService, transport).watchObjects(
      { query, facets: [...facets], limit: 500 },
      { signal },
    );
    this.#reading = this.#read(updates).catch((reason: unknown) => {
      if (!signal.aborted) throw reason;
    });
    // A view that ends before it is closed is a failure, which `close` reports.
    this.#reading.catch(() => undefined);
  }

  /** Rows as `namespace/name`, the total, and the values of all facets. */
  get state(): { readonly keys: readonly string[]; readonly total: number; readonly facetValues: readonly string[] } {
    return { keys: [...this.#keys].toSorted(), total: this.#total, facetValues: this.#facetValues };
  }

  /** Resolves at the first update, present or later, that has this total. */
  untilTotal(total: number): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#total !== total) return;
        this.#onUpdate.delete(check);
        resolve();
      };
      this.#onUpdate.add(check);
      check();
    });
  }

  async #read(updates: ReturnType<ReturnType<typeof createClient<typeof QueryService>>["watchObjects"]>) {
    for await (const { isSnapshot, objects, left, total, facets } of updates) {
      if (isSnapshot) this.#keys.clear();
      for (const { namespace, name } of left) this.#keys.delete(`${namespace}/${name}`);
      for (const { row } of objects) this.#keys.add(`${row?.namespace}/${row?.name}`);
      this.#total = Number(total);
      this.#facetValues = facets.flatMap(({ values }) => values.map(({ value }) => value));
      for (const check of this.#onUpdate) check();
    }
    throw new Error("the hub ended the view");
  }

  /** Rejects if the view had ended before. */
  async close(): Promise<void> {
    this.#over.abort(new Error("the view is closed"));
    await this.#reading;
  }
}
