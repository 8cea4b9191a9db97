// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { type CreateCase, podTemplate, selecting, withSpec } from "./strategy-case.ts";

const web = podTemplate("web");
const once = podTemplate("web", { restartPolicy: "Never" });
const selector = selecting("web");

function deployment(name: string, spec: JsonObject): CreateCase {
  return { name, resource: "apps/v1/deployments", object: withSpec("d", spec) };
}

function statefulSet(name: string, spec: JsonObject): CreateCase {
  return { name, resource: "apps/v1/statefulsets", object: withSpec("s", { selector, template: web, ...spec }) };
}

function daemonSet(name: string, spec: JsonObject): CreateCase {
  return { name, resource: "apps/v1/daemonsets", object: withSpec("s", spec) };
}

function job(name: string, spec: JsonObject): CreateCase {
  return { name, resource: "batch/v1/jobs", object: withSpec("j", spec) };
}

function cronJob(name: string, spec: JsonObject): CreateCase {
  const jobTemplate = { spec: { template: once } };
  return { name, resource: "batch/v1/cronjobs", object: withSpec("c", { jobTemplate, ...spec }) };
}

const schedules = [
  "",
  "x",
  "* * * * * *",
  "@every 1h30m",
  "@every x",
  "@every 1",
  "@every 1y",
  "@foo",
  "60 * * * *",
  "*/0 * * * *",
  "1-2-3 * * * *",
  "1/2/3 * * * *",
  "5-1 * * * *",
  "* * 0 * *",
  "0 0 1 jan mon-fri",
  "* * * foo *",
  "-1 * * * *",
  "TZ=UTC * * * * *",
  "CRON_TZ=Foo/Bar * * * * *",
  "TZ=UTC",
  "? , * * *",
  "99999999999999999999 * * * *",
  "* * * * 7",
];

/** Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs and their like. */
export const workloadCases: readonly CreateCase[] = [
  deployment("the least", { selector, template: web }),
  deployment("nothing", {}),
  deployment("an empty selector", { selector: {}, template: web }),
  deployment("a selector of other Pods", { selector: selecting("other"), template: web }),
  deployment("a wrong label", { selector: { matchLabels: { a: "-" } }, template: web }),
  deployment("a wrong expression", { selector: { matchExpressions: [{ key: "a", operator: "In" }] }, template: web }),
  deployment("wrong numbers", {
    selector,
    template: web,
    replicas: -1,
    minReadySeconds: 700,
    revisionHistoryLimit: -1,
    strategy: { type: "X" },
  }),
  deployment("no room to roll", {
    selector,
    template: web,
    strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
  }),
  deployment("wrong percentages", {
    selector,
    template: web,
    strategy: { rollingUpdate: { maxSurge: "1x", maxUnavailable: "101%" } },
  }),
  deployment("recreated, and rolled", { selector, template: web, strategy: { type: "Recreate", rollingUpdate: {} } }),
  deployment("Pods that end", {
    selector,
    template: podTemplate("web", { restartPolicy: "Never", activeDeadlineSeconds: 5 }),
  }),
  deployment("recreated", { selector, template: web, strategy: { type: "Recreate" }, replicas: 0, paused: true }),
  { name: "the least", resource: "apps/v1/replicasets", object: withSpec("r", { selector, template: web }) },
  { name: "nothing", resource: "apps/v1/replicasets", object: withSpec("r", {}) },
  statefulSet("the least", {}),
  statefulSet("a claim", {
    serviceName: "s",
    volumeClaimTemplates: [
      {
        metadata: { name: "v" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  }),
  statefulSet("a claim for nothing", { volumeClaimTemplates: [{ metadata: { name: "v" } }] }),
  statefulSet("a type without details", { updateStrategy: { type: "RollingUpdate" } }),
  statefulSet("details without a type", { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }),
  statefulSet("deleted by hand, and rolled", { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } }),
  statefulSet("a negative partition", { updateStrategy: { rollingUpdate: { partition: -1 } } }),
  statefulSet("everything wrong", {
    podManagementPolicy: "X",
    updateStrategy: { type: "Y", rollingUpdate: { partition: 1 } },
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Z" },
    ordinals: { start: -1 },
    serviceName: "A_b",
    replicas: -1,
  }),
  statefulSet("an empty selector", { selector: {} }),
  { name: "a name with dots", resource: "apps/v1/statefulsets", object: withSpec("a.b", { selector, template: web }) },
  daemonSet("the least", { selector, template: web }),
  daemonSet("nothing", {}),
  daemonSet("an unknown strategy", { selector, template: web, updateStrategy: { type: "X" } }),
  daemonSet("both ways at once", { selector, template: web, updateStrategy: { rollingUpdate: { maxSurge: 1 } } }),
  daemonSet("neither way", { selector, template: web, updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
  { name: "the least", resource: "apps/v1/controllerrevisions", object: { metadata: { name: "r" }, data: { a: 1 } } },
  { name: "nothing", resource: "apps/v1/controllerrevisions", object: { metadata: { name: "r" }, revision: -1 } },
  job("the least", { template: once }),
  job("no labels", { template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "i" }] } } }),
  job("nothing", {}),
  job("Pods that never end", { template: web }),
  job("only parallelism", { parallelism: 3, template: once }),
  job("a selector of its own", { selector: selecting("x"), template: once }),
  job("a manual selector", { manualSelector: true, selector, template: once }),
  job("a manual selector that is missing", { manualSelector: true, template: once }),
  job("wrong numbers", { completions: -1, parallelism: -2, backoffLimit: -3, completionMode: "Q", template: once }),
  job("indexes without a count", { completionMode: "Indexed", parallelism: 1, template: once }),
  job("a limit per index", {
    completionMode: "Indexed",
    completions: 3,
    parallelism: 2,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 5,
    template: once,
  }),
  job("another's label", { template: { ...once, metadata: { labels: { "job-name": "other" } } } }),
  job("failures that count", {
    podFailurePolicy: {
      rules: [
        { action: "FailJob", onExitCodes: { operator: "In", values: [1, 42] } },
        { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
      ],
    },
    template: once,
  }),
  job("wrong failures", {
    podFailurePolicy: {
      rules: [
        { action: "FailIndex", onExitCodes: { operator: "In", containerName: "x", values: [2, 0, 2] } },
        { action: "X", onExitCodes: { operator: "Y", values: [1] } },
        { action: "Count" },
      ],
    },
    podReplacementPolicy: "TerminatingOrFailed",
    template: podTemplate("web", { restartPolicy: "OnFailure" }),
  }),
  job("successes that suffice", {
    completionMode: "Indexed",
    completions: 3,
    successPolicy: { rules: [{ succeededIndexes: "0,1-2", succeededCount: 2 }] },
    template: once,
  }),
  job("wrong successes", {
    completionMode: "Indexed",
    completions: 3,
    successPolicy: {
      rules: [
        {},
        { succeededIndexes: "2,1", succeededCount: 9 },
        { succeededIndexes: "0-5" },
        { succeededIndexes: "a" },
      ],
    },
    template: once,
  }),
  job("managed by nobody", { managedBy: "x", template: once }),
  cronJob("the least", { schedule: "@daily" }),
  ...schedules.map((schedule) => cronJob(JSON.stringify(schedule), { schedule })),
  ...["", "Foo/Bar", "Local", "local", "Europe/Berlin", "europe/berlin", "../x", "Etc/GMT+3", "US/Pacific", "+02"].map(
    (timeZone) => cronJob(`in ${JSON.stringify(timeZone)}`, { schedule: "@daily", timeZone }),
  ),
  cronJob("everything wrong", {
    schedule: "@daily",
    concurrencyPolicy: "X",
    startingDeadlineSeconds: -1,
    successfulJobsHistoryLimit: -1,
    failedJobsHistoryLimit: -2,
    jobTemplate: { spec: { selector, manualSelector: true, template: web } },
  }),
  {
    name: "a long name",
    resource: "batch/v1/cronjobs",
    object: withSpec("a".repeat(53), { schedule: "@daily", jobTemplate: { spec: { template: once } } }),
  },
];
