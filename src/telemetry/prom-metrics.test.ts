// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "../base/assert.ts";
import { PromMetrics } from "./prom-metrics.ts";

async function lines(metrics: PromMetrics): Promise<string[]> {
  return (await metrics.render()).body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

test("a counter, a gauge and a histogram are served in Prometheus' text format", async () => {
  const metrics = new PromMetrics();
  metrics.counter({ name: "flotilla_calls_total", help: "Calls.", labels: ["code"] }).add({ code: "ok" }, 2);
  metrics.gauge({ name: "flotilla_open", help: "Open." }).set({}, 7);
  const histogram = metrics.histogram({ name: "flotilla_took_seconds", help: "Time.", buckets: [0.1, 1] });
  histogram.observe({}, 0.05);
  histogram.observe({}, 5);
  const { contentType, body } = await metrics.render();
  expect(contentType).toContain("text/plain");
  expect(body).toContain("# TYPE flotilla_calls_total counter");
  expect(await lines(metrics)).toEqual([
    'flotilla_calls_total{code="ok"} 2',
    "flotilla_open 7",
    'flotilla_took_seconds_bucket{le="0.1"} 1',
    'flotilla_took_seconds_bucket{le="1"} 1',
    'flotilla_took_seconds_bucket{le="+Inf"} 2',
    "flotilla_took_seconds_sum 5.05",
    "flotilla_took_seconds_count 2",
  ]);
});

test("[L13] beyond the bound new label sets count under other, known ones go on, and the overflow is counted", async () => {
  const metrics = new PromMetrics({ maxLabelSetCount: 2 });
  const counter = metrics.counter({ name: "flotilla_seen_total", help: "Seen.", labels: ["cluster", "kind"] });
  for (const cluster of ["a", "b", "c", "d", "a"]) counter.add({ cluster, kind: "Pod" });
  expect(await lines(metrics)).toEqual([
    'flotilla_metrics_label_overflow_total{metric="flotilla_seen_total"} 2',
    'flotilla_seen_total{cluster="a",kind="Pod"} 2',
    'flotilla_seen_total{cluster="b",kind="Pod"} 1',
    'flotilla_seen_total{cluster="other",kind="other"} 2',
  ]);
});

test("label values that differ only in where one ends and the next begins are two sets", async () => {
  const metrics = new PromMetrics();
  const counter = metrics.counter({ name: "flotilla_x_total", help: "X.", labels: ["a", "b"] });
  counter.add({ a: 'p","', b: "q" });
  counter.add({ a: "p", b: '","q' });
  expect(await lines(metrics)).toHaveLength(2);
});

test("[L18] a token given as a label value is masked", async () => {
  const metrics = new PromMetrics();
  metrics.gauge({ name: "flotilla_y", help: "Y.", labels: ["who"] }).set({ who: "flt_abcdef" }, 1);
  expect((await metrics.render()).body).not.toContain("abcdef");
});

test("asking for a declared metric again gives the same one", async () => {
  const metrics = new PromMetrics();
  for (let time = 0; time < 2; time += 1) metrics.counter({ name: "flotilla_z_total", help: "Z." }).add({});
  expect(await lines(metrics)).toContain("flotilla_z_total 2");
});

test("two registries share nothing", async () => {
  new PromMetrics().counter({ name: "flotilla_z_total", help: "Z." }).add({});
  const metrics = new PromMetrics();
  metrics.counter({ name: "flotilla_z_total", help: "Z." }).add({});
  expect(await lines(metrics)).toContain("flotilla_z_total 1");
});

describe("names", () => {
  test("a seed's own metric name is served as it is", async () => {
    const metrics = new PromMetrics();
    metrics.counter({ name: "syncer_resources_synced_total", help: "Synced." }).add({});
    expect(await lines(metrics)).toContain("syncer_resources_synced_total 1");
  });

  test("a name without the prefix, a counter without _total and a second, different declaration are bugs", () => {
    const metrics = new PromMetrics();
    expect(() => metrics.counter({ name: "hub_calls_total", help: "G." })).toThrow(BugError);
    expect(() => metrics.counter({ name: "flotilla_calls", help: "G." })).toThrow(BugError);
    expect(() => metrics.gauge({ name: "flotilla_Calls", help: "G." })).toThrow(BugError);
    metrics.gauge({ name: "flotilla_g", help: "G." });
    expect(() => metrics.histogram({ name: "flotilla_g", help: "G." })).toThrow(BugError);
    expect(() => metrics.gauge({ name: "flotilla_g", help: "G.", labels: ["a"] })).toThrow(BugError);
  });
});

test("the metrics of the process show its CPU, memory and event loop", async () => {
  const { body } = await new PromMetrics({ ofProcess: true }).render();
  for (const name of [
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "nodejs_eventloop_lag_p99_seconds",
  ]) {
    expect(body).toMatch(new RegExp(`^${name} `, "m"));
  }
});
