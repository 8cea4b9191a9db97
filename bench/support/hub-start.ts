// SPDX-License-Identifier: Apache-2.0
import { type BenchHub, untilTrue } from "./bench-hub.ts";
import { peakRssMibOf } from "./peak-rss.ts";

/** The start of a hub with rows in its fleet log, from the start of the process. */
export interface HubStart {
  /** Until it serves. */
  readonly readyMs: number;
  /** Until all rows are there. */
  readonly loadedMs: number;
  readonly cpuSeconds: number;
  readonly rssMib: number;
  readonly peakMib: number;
}

/** Starts a hub whose fleet log has so many rows. `onReady` runs while the rows are being loaded. */
export async function startWithRows(
  hub: BenchHub,
  rowCount: number,
  onReady: () => Promise<void> = async () => undefined,
): Promise<HubStart> {
  const readyMs = await hub.start();
  const reading = onReady();
  await untilTrue("all rows", () => hub.process.text.includes('"fleet log loaded"'));
  const loadedMs = performance.now() - hub.process.startedMs;
  const cpuSeconds = hub.cpuMs / 1_000;
  if (!hub.process.text.includes(`"rows":${rowCount}`)) throw new Error(`not all rows came: ${hub.process.text}`);
  await reading;
  return { readyMs, loadedMs, cpuSeconds, rssMib: hub.rssMib, peakMib: peakRssMibOf(hub.process.pid) };
}
