// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { PageRig } from "./testing/page-rig.ts";
import { clusterView, fleetView, type TestStream } from "./testing/test-viewer.ts";

const viewerCount = 200;

test("[PG11] [R-25] 200 subscribers of one view get every update, each encoded once", async () => {
  const rig = await PageRig.start();
  for (const name of ["a", "b", "c"]) await rig.arrive(name);
  const opening = Array.from({ length: viewerCount }, (_, at) => rig.viewer("root", `tok_${at}`).open(fleetView()));
  const streams: TestStream[] = await Promise.all(opening);
  await settle();
  const encodedBytes = (): number => rig.metrics.get("flotilla_page_encoded_bytes_total", "fleet");
  const sizeOf = (at: number): number => streams[0]?.of(1)[at]?.update.length ?? 0;
  expect(encodedBytes()).toBe(sizeOf(0));
  expect(rig.metrics.get("flotilla_page_streams")).toBe(viewerCount);
  expect(rig.metrics.get("flotilla_page_subscriptions", "fleet")).toBe(viewerCount);
  const askedCount = rig.authorizer.askCount;
  for (const name of ["a", "b"]) {
    await rig.lose(name);
    await rig.clock.advance(500);
  }
  await settle();
  expect(streams[0]?.states()).toBe("a:disconnected b:disconnected c:live");
  expect(encodedBytes()).toBe(sizeOf(0) + sizeOf(1) + sizeOf(2));
  expect(rig.metrics.get("flotilla_page_updates_total", "fleet")).toBe(3 * viewerCount);
  // A user is judged once for all its streams, and once for each read of rows.
  expect(rig.authorizer.askCount).toBeLessThan(askedCount + 10);
  const told = (stream: TestStream | undefined): string => stream?.allText().replaceAll(/page_\w+/g, "") ?? "";
  const expected = told(streams[0]);
  for (const stream of streams) expect(told(stream) === expected).toBe(true);
  for (const stream of streams) await stream.close();
  expect(rig.metrics.get("flotilla_page_streams")).toBe(0);
  expect(rig.metrics.get("flotilla_page_subscriptions", "fleet")).toBe(0);
  await rig.stop();
});

test("[PG11] users of equal sight share what is encoded, and those who see less do not", async () => {
  const rig = await PageRig.start();
  rig.authorizer.grants.set("twin", { clusters: ["a", "b"], seesObjects: true });
  rig.authorizer.grants.set("half", { clusters: ["a"], seesObjects: true });
  await rig.register("a");
  await rig.register("b");
  const streams: TestStream[] = [];
  const encoded: number[] = [];
  for (const user of ["root", "twin", "half", "guest"]) {
    streams.push(await rig.viewer(user).open(fleetView(1), clusterView("a", 2)));
    encoded.push(rig.metrics.get("flotilla_page_encoded_bytes_total", "fleet"));
  }
  expect(encoded[1]).toBe(encoded[0]);
  expect(encoded[2]).toBeGreaterThan(encoded[1] ?? 0);
  expect(encoded[3]).toBeGreaterThan(encoded[2] ?? 0);
  // A cluster's page is the same for all who see objects, whatever else they see.
  const [one, two] = [streams[0], streams[2]].map((stream) => stream?.of(2)[0]?.update.length);
  expect(rig.metrics.get("flotilla_page_encoded_bytes_total", "cluster")).toBe(
    (one ?? 0) + (streams[3]?.of(2)[0]?.update.length ?? 0),
  );
  expect(one).toBe(two);
  for (const stream of streams) await stream.close();
  await rig.stop();
});
