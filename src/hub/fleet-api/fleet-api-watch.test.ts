// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { maxFollowedCount } from "./followed-rows.ts";
import { ask, askRefused, askTable, keysOf, type OpenRoute, openRoute, partialAccept } from "./testing/ask-route.ts";
import { SmallFleet, type SmallRow } from "./testing/small-fleet.ts";
import { Watching } from "./testing/watching.ts";

const pods = "/api/v1/pods";
const webOnly = "&labelSelector=app%3Dweb";

function pod(cluster: string, name: string, more: Partial<SmallRow> = {}): SmallRow {
  return { cluster, name, labels: { app: "web" }, ...more };
}

function openFleet(...rows: readonly SmallRow[]): { readonly fleet: SmallFleet; readonly open: OpenRoute } {
  const fleet = new SmallFleet();
  for (const cluster of ["east", "west"]) fleet.clusters.set(cluster, { region: cluster });
  fleet.put(...rows);
  return { fleet, open: openRoute(fleet) };
}

async function listVersion(open: OpenRoute, query = ""): Promise<string> {
  return (await askTable(open, `${pods}?${query}`)).metadata.resourceVersion;
}

test("[FA11] a watch from a list's version has every later change, of all clusters", async () => {
  const { fleet, open } = openFleet(pod("east", "a"), pod("west", "b"));
  const version = await listVersion(open);
  fleet.put(pod("east", "early"));
  await using watching = await new Watching().open(open, `${pods}?watch=1&resourceVersion=${version}`);
  fleet.put(pod("east", "a"), pod("west", "c"));
  expect(await watching.takeKeys()).toEqual(["ADDED east/early", "MODIFIED east/a", "ADDED west/c"]);
  fleet.put({ cluster: "east", resource: "nodes", kind: "Node", namespace: "", name: "n" });
  fleet.remove(pod("west", "b"));
  fleet.put(pod("west", "c"));
  fleet.remove(pod("west", "c"));
  // The last two changes were made at once: the row of the first can no longer be read.
  expect(await watching.takeKeys()).toEqual(["DELETED west/b", "DELETED west/c"]);
});

test("[FA11] a watch without a version begins with the present rows", async () => {
  const { fleet, open } = openFleet(pod("east", "a"), pod("west", "a"), pod("west", "b"));
  await using one = await new Watching().open(
    open,
    `${pods}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Da`,
  );
  await using named = await new Watching().open(open, `${pods}?watch=1&fieldSelector=metadata.name%3Da@west`);
  fleet.put(pod("east", "a"), pod("west", "a"), pod("west", "b"));
  expect(await one.takeKeys()).toEqual(["ADDED east/a", "ADDED west/a", "MODIFIED east/a", "MODIFIED west/a"]);
  expect(await named.takeKeys()).toEqual(["ADDED west/a", "MODIFIED west/a"]);
});

test("[FA11] a deleted row has its last cells if it was sent before, else its key", async () => {
  const { fleet, open } = openFleet(pod("east", "old"), pod("east", "new"));
  const version = await listVersion(open);
  await using watching = await new Watching().open(open, `${pods}?watch=1&resourceVersion=${version}`);
  fleet.put(pod("east", "new", { columns: { phase: "Succeeded", ready: "0/1" } }));
  const [changed] = await watching.take();
  fleet.remove(pod("east", "new"));
  fleet.remove(pod("east", "old"));
  const [deleted, gone] = await watching.take();
  expect(changed?.object.columnDefinitions).not.toBeNull();
  expect(deleted).toMatchObject({ type: "DELETED", object: { columnDefinitions: null } });
  expect(deleted?.object.rows[0]?.cells.slice(0, 4)).toEqual(["east", "new", "0/1", "Succeeded"]);
  expect(gone?.object.rows[0]).toMatchObject({
    cells: ["east", "old", null, null, null, null, null, null, null, null],
    object: { metadata: { name: "old", namespace: "shop", uid: "uid-east-old" } },
  });
});

test("[FA11] with a label selector rows enter and leave, and changes of others are no events", async () => {
  const { fleet, open } = openFleet(pod("east", "a"), pod("east", "b", { labels: { app: "db" } }));
  const version = await listVersion(open, webOnly);
  await using watching = await new Watching().open(open, `${pods}?watch=1&resourceVersion=${version}${webOnly}`);
  fleet.put(pod("east", "b", { labels: { app: "db" } }));
  expect(await watching.takeKeys()).toEqual([]);
  fleet.put(pod("east", "b"));
  fleet.put(pod("east", "b"));
  fleet.put(pod("east", "a", { labels: {} }));
  fleet.remove(pod("east", "a"));
  expect(await watching.takeKeys()).toEqual(["ADDED east/b", "MODIFIED east/b", "DELETED east/a"]);
  fleet.remove(pod("east", "b"));
  expect(await watching.takeKeys()).toEqual(["DELETED east/b"]);
});

test("[FA11] a row that left the selection between list and watch is reported as deleted", async () => {
  const { fleet, open } = openFleet(pod("east", "a"), pod("east", "b"));
  const version = await listVersion(open, webOnly);
  fleet.put(pod("east", "a", { labels: {} }));
  fleet.remove(pod("east", "b"));
  await using watching = await new Watching().open(open, `${pods}?watch=1&resourceVersion=${version}${webOnly}`);
  expect(await watching.takeKeys()).toEqual(["DELETED east/a", "DELETED east/b"]);
});

test("[FA11] with a selector of clusters the changes of other clusters are no events", async () => {
  const { fleet, open } = openFleet(pod("east", "a"), pod("west", "a"));
  const ofWest = "&labelSelector=flotilla.dev/region%3Dwest";
  const version = await listVersion(open, ofWest);
  await using watching = await new Watching().open(open, `${pods}?watch=1&resourceVersion=${version}${ofWest}`);
  fleet.remove(pod("east", "a"));
  fleet.put(pod("east", "b"), pod("west", "b"));
  fleet.remove(pod("west", "a"));
  expect(await watching.takeKeys()).toEqual(["ADDED west/b", "DELETED west/a"]);
});

test("[FA10] an event's version repeats its step unless it is the last of it", async () => {
  const { fleet, open } = openFleet(pod("east", "a"));
  const version = await listVersion(open);
  const url = `${pods}?watch=1&resourceVersion=${version}`;
  await using watching = await new Watching().open(open, url, { accept: partialAccept });
  fleet.put(pod("east", "b"), pod("east", "c"));
  fleet.put(pod("east", "d"));
  const lines = (await watching.take()) as unknown as readonly {
    readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
  }[];
  const resumed: unknown[] = [];
  for (const { object } of lines) {
    await using again = await new Watching().open(
      open,
      `${pods}?watch=1&resourceVersion=${object.metadata.resourceVersion}`,
    );
    resumed.push([object.metadata.name, await again.takeKeys()]);
  }
  expect(resumed).toEqual([
    ["b@east", ["ADDED east/b", "ADDED east/c", "ADDED east/d"]],
    ["c@east", ["ADDED east/d"]],
    ["d@east", []],
  ]);
  expect(new Set(lines.map(({ object }) => object.metadata.resourceVersion)).size).toBe(3);
});

test("[FA10] versions that are too old, of another start of the hub, or foreign are expired", async () => {
  const fleet = new SmallFleet(250);
  fleet.put(pod("east", "a"));
  const open = openRoute(fleet);
  const version = await listVersion(open);
  for (const name of ["b", "c", "d"]) fleet.put(pod("east", name));
  const [feed = "", , access = ""] = version.split(".");
  for (const foreign of [version, `feed_other.1.${access}`, `${feed}.99.${access}`, `${feed}.1`, "42", "x".repeat(200)])
    expect(await askRefused(open, `${pods}?watch=1&resourceVersion=${foreign}`)).toMatchObject({
      code: 410,
      reason: "Expired",
    });
});

test("[FA11] [L17] a watch ends within a second of a change of the user's rights, and shows nothing more", async () => {
  const { fleet, open } = openFleet(pod("east", "a"), pod("west", "a"));
  const version = await listVersion(open);
  const url = `${pods}?watch=1&resourceVersion=${version}`;
  await using watching = await new Watching().open(open, url, { user: "alice" });
  await using other = await new Watching().open(open, url, { user: "bob" });
  fleet.put(pod("east", "a"));
  expect(await watching.takeKeys()).toEqual(["MODIFIED east/a"]);
  fleet.setVisibility((user, { cluster }) => user !== "alice" || cluster === "west");
  fleet.put(pod("east", "a"));
  expect(await watching.takeKeys()).toEqual([]);
  await open.clock.advance(1_000);
  expect(await watching.takeKeys()).toEqual(["ERROR Expired"]);
  expect([watching.isEnded, other.isEnded]).toEqual([true, false]);
  expect(await askRefused(open, url, { user: "alice" })).toMatchObject({ code: 410, reason: "Expired" });
  expect(keysOf(await askTable(open, pods, { user: "alice" }))).toEqual(["west/a"]);
});

test("[FA11] bookmarks carry the version of an idle watch, the last shortly before its timeout", async () => {
  const { fleet, open } = openFleet(pod("east", "a"));
  const version = await listVersion(open);
  const url = `${pods}?watch=1&allowWatchBookmarks=true&timeoutSeconds=100&resourceVersion=${version}`;
  await using watching = await new Watching().open(open, url);
  fleet.put({ cluster: "east", resource: "nodes", kind: "Node", namespace: "", name: "n" });
  await open.clock.advance(70_000);
  const [bookmark] = await watching.take();
  expect(bookmark).toMatchObject({ type: "BOOKMARK", object: { rows: [] } });
  const later = bookmark?.object.metadata.resourceVersion ?? "";
  expect(later).not.toBe(version);
  await using resumed = await new Watching().open(open, `${pods}?watch=1&resourceVersion=${later}`);
  await open.clock.advance(29_000);
  expect(await watching.takeKeys()).toEqual(["BOOKMARK"]);
  expect(watching.isEnded).toBe(false);
  await open.clock.advance(1_000);
  await watching.take();
  expect(watching.isEnded).toBe(true);
  expect(await resumed.takeKeys()).toEqual([]);
});

test("[FA11] a watch that reads too slowly ends with Expired", async () => {
  const fleet = new SmallFleet(350);
  fleet.put(pod("east", "a"));
  const open = openRoute(fleet);
  const { body } = await ask(open, `${pods}?watch=1&resourceVersion=${await listVersion(open)}`);
  for (let at = 0; at < 8; at += 1) fleet.put(pod("east", `b-${at}`));
  const pieces: string[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(Buffer.from(piece).toString());
  expect(pieces.join("")).toContain('"reason":"Expired"');
});

test("[FA11] initial events, long selectors and too many rows are refused", async () => {
  const { fleet, open } = openFleet(pod("east", "a"));
  const initial = `${pods}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
  expect(await askRefused(open, initial)).toMatchObject({ code: 422, reason: "Invalid" });
  const many = Array.from({ length: 30 }, (_, at) => `${"v".repeat(58)}${at}`).join(",");
  expect((await ask(open, `${pods}?labelSelector=app+in+(${many})`)).status).toBe(200);
  expect(await askRefused(open, `${pods}?watch=1&labelSelector=app+in+(${many})`)).toMatchObject({ code: 400 });
  fleet.put(...Array.from({ length: maxFollowedCount }, (_, at) => pod("west", `w-${at}`)));
  const { message } = await askRefused(open, `${pods}?watch=1${webOnly}`);
  expect(message).toContain("follows at most 20000 objects, and these select 20001");
});

test("[FA11] a flush of many rows is read and sent in slices, none of them lost", async () => {
  const { fleet, open } = openFleet(pod("east", "a"));
  const version = await listVersion(open);
  await using watching = await new Watching().open(open, `${pods}?watch=1&resourceVersion=${version}`);
  await watching.take();
  fleet.asked.splice(0);
  fleet.put(...Array.from({ length: 510 }, (_, at) => pod("east", `p-${at}`, { namespace: `n${at % 7}` })));
  const keys = new Set(await watching.takeKeys());
  expect(keys.size).toBe(510);
  expect(Math.max(...fleet.asked.map((text) => text.length))).toBeLessThan(4_096);
  expect(fleet.asked.length).toBeLessThan(100);
});
