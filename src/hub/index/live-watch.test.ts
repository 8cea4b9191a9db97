// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { LiveQueryUpdate } from "../rows/fleet-queries.ts";
import { watchLive } from "./live-watch.ts";
import type { QueryViewer } from "./query-runs.ts";
import { bindingTo, contentOf, LiveRig, viewerRole } from "./testing/live-rig.ts";

const hasher = await createHasher();
const query = { text: "kind:Pod", limit: 5, sort: [], facets: [], position: "" };

let rig: LiveRig;
afterEach(() => {
  rig.engine.closeAll();
  expect(rig.clock.timerCount).toBe(0);
});

/** A watch of Pods in `east`, and what decides about it. */
function openWatch() {
  rig = new LiveRig(hasher);
  rig.register("east");
  rig.grant("east", [viewerRole("pods", ["pods"]), bindingTo("User", "ada", "pods")]);
  rig.fold("east", "pods", [contentOf("web")]);
  const { engine, clock } = rig;
  const asked: { clusters: ReadonlySet<string> | undefined; mayWatch: boolean } = {
    clusters: undefined,
    mayWatch: true,
  };
  const by = (): QueryViewer => {
    if (!asked.mayWatch) throw new FlotillaError("PERMISSION_DENIED", "you may not watch rows");
    return { viewer: { kind: "user", subject: { user: "ada", groups: [] } }, clusters: asked.clusters };
  };
  const leaving = new AbortController();
  const closed: number[] = [];
  const index = {
    openView: async (...args: Parameters<typeof engine.open>) => engine.open(...args),
    nextUpdate: (...args: Parameters<typeof engine.next>) => engine.next(...args),
    closeView: async (id: number) => {
      closed.push(id);
      engine.close(id);
    },
  };
  const updates = watchLive({ index, clock, by }, query, leaving.signal)[Symbol.asyncIterator]();
  /** The next update, while the clock moves on. */
  const next = async (): Promise<IteratorResult<LiveQueryUpdate | "unchanged", void>> => {
    const call = updates.next();
    call.catch(() => undefined); // the caller awaits it too
    await clock.advance(5_000);
    await settle();
    return call;
  };
  return { asked, leaving, closed, updates, next };
}

describe("[QL16] a watch of a live view", () => {
  test("has a snapshot, then changes, and closes the view when its reader leaves", async () => {
    const { updates, next, closed } = openWatch();
    expect((await next()).value).toMatchObject({ isSnapshot: true, rows: [{ row: { name: "web" } }] });
    rig.fold("east", "pods", [contentOf("api")]);
    expect((await next()).value).toMatchObject({ isSnapshot: false, rows: [{ row: { name: "api" } }], places: [0] });
    await updates.return();
    expect(closed).toHaveLength(1);
  });

  test("ends with the reason of the signal while it waits", async () => {
    const { updates, next, leaving, closed } = openWatch();
    await next();
    const call = updates.next();
    const ended = expect(call).rejects.toThrow("reader left");
    await settle();
    leaving.abort(new Error("reader left"));
    await ended;
    expect(closed).toHaveLength(1);
  });

  test("[L16] ends with PERMISSION_DENIED when the hub's permission ends", async () => {
    const { next, asked, closed } = openWatch();
    await next();
    asked.mayWatch = false;
    await expect(next()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(closed).toHaveLength(1);
  });

  test("[L17] loses the clusters that the hub no longer shows to the user", async () => {
    const { next, asked } = openWatch();
    await next();
    asked.clusters = new Set(["west"]);
    expect((await next()).value).toMatchObject({ left: [{ cluster: "east", name: "web" }], total: 0, clusters: [] });
  });

  test("[QL21] ends with GONE if its reader takes longer than a minute", async () => {
    const { next } = openWatch();
    await next();
    await rig.clock.advance(60_000);
    await expect(next()).rejects.toMatchObject({ code: "GONE" });
  });
});
