// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { connectionStates } from "../../health/health-state.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import { PromMetrics } from "../../telemetry/prom-metrics.ts";
import { HealthMetrics, healthMetricSpecs } from "./health-metrics.ts";
import { objectGaugeSpec, troubles } from "./object-gauges.ts";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const file = new URL("../../../deploy/alerts/flotilla.rules.yaml", import.meta.url);
const document = parse(readFileSync(file, "utf8")) as {
  readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
};
const rules = document.groups.flatMap((group) => group.rules);

/** Words of an expression that are neither functions, keywords, labels nor durations: names of metrics. */
function metricsIn(expression: string): readonly string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, "")
    .replaceAll(/\{[^}]*\}/g, "")
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, "");
  const words = [...bare.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*(?!\s*\()\b/g)].map(([word]) => word);
  return words.filter((word) => !/^(?:and|or|unless|sum|max|min|increase|changes|rate|count|absent)$/.test(word));
}

describe("alert rules", () => {
  test("every metric named in a rule is one that the code declares, and every rule names one", async () => {
    const metrics = new PromMetrics({ ofProcess: true });
    void new HealthMetrics(metrics);
    const { body } = await metrics.render();
    const declared = new Set<string | undefined>(Object.values(metricNames));
    for (const [, name] of body.matchAll(/^# TYPE (\S+)/gm)) declared.add(name);
    for (const { alert, expr } of rules) {
      const named = metricsIn(expr);
      expect(named, alert).not.toEqual([]);
      for (const name of named) expect(declared, `${name} of ${alert}`).toContain(name);
    }
  });

  test("every label that a rule asks about is one of its metric, and every state and status is one there is", () => {
    const labels = new Map<string, readonly string[]>(
      [...Object.values(healthMetricSpecs), objectGaugeSpec].map(({ name, labels: own }) => [name, own]),
    );
    for (const { alert, expr } of rules) {
      for (const [, metric = "", matchers = ""] of expr.matchAll(/([a-z_]+)\{([^}]*)\}/g)) {
        for (const [, label = "", text = ""] of matchers.matchAll(/(\w+)\s*=~?\s*"([^"]*)"/g)) {
          expect(labels.get(metric), alert).toContain(label);
          if (label === "state") for (const state of text.split("|")) expect(connectionStates).toContain(state);
          if (label === "status") for (const status of text.split("|")) expect(troubles).toContain(status);
        }
      }
    }
  });

  test("every expression closes what it opens, and every duration is one", () => {
    for (const { alert, expr, for: duration = "1m" } of rules) {
      const open: string[] = [];
      for (const [bracket] of expr.matchAll(/[()[\]{}]/g)) {
        if ("([{".includes(bracket)) open.push(bracket);
        else expect(`${open.pop()}${bracket}`, alert).toMatch(/^(?:\(\)|\[\]|\{\})$/);
      }
      expect(open, alert).toEqual([]);
      for (const [, range] of expr.matchAll(/\[([^\]]*)\]/g)) expect(range, alert).toMatch(/^\d+[smhd]$/);
      expect(duration, alert).toMatch(/^\d+[smhd]$/);
    }
  });

  test("a rule about one cluster's connection spares paused clusters, or asks for a live one", () => {
    const ofClusters = rules.filter(({ expr }) => /flotilla_cluster_(?:state|flapping)/.test(expr));
    expect(ofClusters).toHaveLength(9);
    for (const { alert, expr } of ofClusters)
      expect(expr, alert).toMatch(/unless on \(cluster\) flotilla_cluster_paused == 1|state="live"/);
  });

  test("[HE26] unhealthy objects of a live cluster raise an alert, and those of a cluster that is not live do not", () => {
    const { expr, for: duration } = rules.find(({ alert }) => alert === "FlotillaObjectsUnhealthy") ?? {};
    expect(expr).toBe(
      'flotilla_cluster_objects{status="unhealthy"} > 0 and on (cluster) flotilla_cluster_state{state="live"} == 1',
    );
    expect(duration).toBe("30m");
  });

  test("every state but live has a rule", () => {
    const named = rules.flatMap(({ expr }) => [...expr.matchAll(/state="(\w+)"/g)].map(([, state]) => state));
    expect(new Set(named)).toEqual(new Set(connectionStates));
  });

  test("there is a rule for each way to lose a cluster, a failing kind, and a hub that is away or restarts", () => {
    expect(rules.map(({ alert }) => alert)).toEqual([
      "FlotillaClusterLost",
      "FlotillaClusterRejected",
      "FlotillaClusterStale",
      "FlotillaClusterCatchingUp",
      "FlotillaClusterNeverSeen",
      "FlotillaClusterFlapping",
      "FlotillaKindFailing",
      "FlotillaObjectsUnhealthy",
      "FlotillaManyClustersLost",
      "FlotillaMessagesRefused",
      "FlotillaHubAbsent",
      "FlotillaHubRestarting",
      "FlotillaMetricsOverflow",
    ]);
    expect(rules.find(({ alert }) => alert === "FlotillaClusterLost")?.for).toBe("5m");
    for (const { annotations, labels } of rules) {
      expect(annotations.summary).not.toBe("");
      expect(annotations.description).not.toBe("");
      expect(labels.severity).toMatch(/^(critical|warning)$/);
    }
  });
});
