// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { askTable, keysOf, type OpenRoute, openRoute } from "./testing/ask-route.ts";
import { SmallFleet } from "./testing/small-fleet.ts";
import { Watching, type WatchLine } from "./testing/watching.ts";

const cluster = fc.constantFrom("east", "west");
const name = fc.constantFrom("a", "b", "c");
const app = fc.constantFrom("web", "db");

type Step =
  | { readonly kind: "put" | "remove"; readonly rows: readonly { cluster: string; name: string; app: string }[] }
  /** Of the client. After leaving it reads again from the version of the last event that it applied. */
  | { readonly kind: "read" | "leave" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("put" as const, "remove" as const),
      rows: fc.array(fc.record({ cluster, name, app }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("read" as const, "leave" as const) }) },
);

/** A client as informers are: a list, then events by key, from the version of the last one. */
class Client {
  readonly #open: OpenRoute;
  readonly #query: string;
  readonly rows = new Map<string, unknown>();
  #version = "";
  #watching: Watching | undefined;

  constructor(open: OpenRoute, query: string) {
    this.#open = open;
    this.#query = query;
  }

  async list(): Promise<void> {
    const { metadata, rows } = await askTable(this.#open, `/api/v1/pods?${this.#query}`);
    for (const { cells } of rows) this.rows.set(cells.slice(0, 2).join("/"), cells);
    this.#version = metadata.resourceVersion;
  }

  /** Watches if it does not yet, and applies the events so far. */
  async read(): Promise<void> {
    const url = `/api/v1/pods?watch=1&resourceVersion=${this.#version}&${this.#query}`;
    this.#watching ??= await new Watching().open(this.#open, url);
    this.#apply(await this.#watching.take());
  }

  /** Leaves in the middle of its events; the rest is lost. */
  async leave(): Promise<void> {
    const lines = (await this.#watching?.take()) ?? [];
    this.#apply(lines.slice(0, Math.ceil(lines.length / 2)));
    await this.#watching?.[Symbol.asyncDispose]();
    this.#watching = undefined;
  }

  #apply(lines: readonly WatchLine[]): void {
    for (const { type, object } of lines) {
      const cells = object.rows[0]?.cells ?? [];
      const key = cells.slice(0, 2).join("/");
      if (type === "DELETED") this.rows.delete(key);
      else this.rows.set(key, cells);
      this.#version = object.metadata.resourceVersion;
    }
  }
}

test("[FA11] a list and the events after it are the later list, with any selector and however often a client leaves", async () => {
  const queries = fc.constantFrom(
    "",
    "labelSelector=app%3Dweb",
    "labelSelector=app+notin+(web),flotilla.dev/cluster%3Deast",
    "fieldSelector=status.phase!%3DRunning,metadata.name!%3Db",
    "fieldSelector=metadata.name%3Da",
  );
  const runs = fc.asyncProperty(queries, fc.array(step, { maxLength: 14 }), async (query, steps) => {
    const fleet = new SmallFleet();
    for (const id of ["east", "west"]) fleet.clusters.set(id, {});
    fleet.put(
      { cluster: "east", name: "a", labels: { app: "web" } },
      { cluster: "west", name: "b", labels: { app: "db" } },
    );
    const open = openRoute(fleet);
    const client = new Client(open, query);
    await client.list();
    for (const [at, { kind, ...given }] of steps.entries()) {
      const rows = "rows" in given ? given.rows : [];
      const small = rows.map((row) => {
        return {
          cluster: row.cluster,
          name: row.name,
          uid: `${at}`,
          labels: { app: row.app },
          columns: { phase: at % 2 === 0 ? "Running" : "Failed" },
        };
      });
      if (kind === "put") fleet.put(...small);
      else if (kind === "remove") fleet.remove(...small);
      else await client[kind]();
    }
    await client.read();
    await client.leave();
    const now = await askTable(open, `/api/v1/pods?${query}`);
    expect([...client.rows.keys()].sort()).toEqual(keysOf(now).toSorted());
    for (const { cells } of now.rows) expect(client.rows.get(cells.slice(0, 2).join("/"))).toEqual(cells);
  });
  await fc.assert(runs, { numRuns: 150 });
});
