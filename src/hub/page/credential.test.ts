// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { clusterClient } from "./testing/cluster-client.ts";
import { PageRig } from "./testing/page-rig.ts";
import { fleetView } from "./testing/test-viewer.ts";

const dayMs = 86_400_000;
let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
});

afterEach(async () => {
  await rig.stop();
});

async function expiresAtMs(id: string): Promise<number | undefined> {
  const { cluster } = await clusterClient(rig).getCluster({ id });
  return cluster?.credentialExpiresAt === undefined ? undefined : timestampMs(cluster.credentialExpiresAt);
}

async function tell(endsInMs: number | bigint): Promise<void> {
  const value = { number: 9n, credentialEndsInMs: BigInt(endsInMs), credentialLifetimeMs: BigInt(365 * dayMs) };
  rig.agent("a").send({ case: "heartbeat", value });
  await settle();
  await rig.clock.advance(500);
  await settle();
}

test("[SE46] when an agent's credential ends is shown on the page and by the API, and no heartbeat that repeats it is an update", async () => {
  await rig.arrive("a");
  const stream = await rig.viewer("root").open(fleetView());
  expect(stream.fleet().clusters.get("a")?.credentialEndsMs).toBeUndefined();
  expect(await expiresAtMs("a")).toBeUndefined();
  await tell(12 * dayMs);
  const shown = stream.fleet().clusters.get("a");
  const endsMs = Number(shown?.credentialEndsMs);
  expect(Math.abs(endsMs - rig.clock.nowMs() - 12 * dayMs)).toBeLessThan(1_000);
  expect(endsMs - Number(shown?.credentialWarnMs)).toBe(7 * dayMs);
  expect(Math.abs(((await expiresAtMs("a")) ?? 0) - rig.clock.wallMs() - 12 * dayMs)).toBeLessThan(1_000);
  const updateCount = stream.of(1).length;
  await tell(12 * dayMs - 300);
  expect(stream.of(1)).toHaveLength(updateCount);
  await rig.lose("a");
  await rig.clock.advance(500);
  expect(Number(stream.fleet().clusters.get("a")?.credentialEndsMs)).toBe(endsMs);
  await stream.close();
});

test("[SE46] [SE4] an end that no clock reaches harms nobody", async () => {
  await rig.arrive("a");
  // Dates on the wire go from the year 1 to the year 9999.
  await tell(2n ** 63n - 1n);
  const latest = (await expiresAtMs("a")) ?? Number.NaN;
  expect(latest).toBeGreaterThan(rig.clock.wallMs() + 100 * 365 * dayMs);
  expect(latest).toBeLessThan(Date.UTC(9999, 11, 31));
  await tell(-(2n ** 63n));
  const earliest = (await expiresAtMs("a")) ?? Number.NaN;
  expect(earliest).toBeLessThan(rig.clock.wallMs());
  expect(earliest).toBeGreaterThan(-62_135_596_800_000);
});
