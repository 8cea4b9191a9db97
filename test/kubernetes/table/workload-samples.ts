// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { type Ago, coreIn, namespaced, type Sample, selector, template } from "./sample.ts";

const apps = (resource: string): string => namespaced("apps/v1", resource);
const plain = { matchLabels: { app: "web" } };
const wide = { ...template, metadata: { labels: { app: "web", tier: "front", zone: "y" } } };

function jobTemplate(): JsonObject {
  return { spec: { containers: [{ name: "work", image: "work:1" }], restartPolicy: "Never" } };
}

function job(name: string, spec: JsonObject, status?: JsonObject, isDeleted = false): Sample {
  return {
    collection: namespaced("batch/v1", "jobs"),
    object: {
      metadata: { name, ...(isDeleted ? { finalizers: ["example.com/keep"] } : {}) },
      spec: { template: jobTemplate(), ...spec },
    },
    ...(status === undefined ? {} : { status }),
    isDeleted,
  };
}

function condition(type: string, ago: Ago): JsonObject {
  return { type, status: "True", lastProbeTime: ago(10), lastTransitionTime: ago(10) };
}

export function workloadSamples(ago: Ago): readonly Sample[] {
  return [
    {
      collection: apps("deployments"),
      object: { metadata: { name: "web" }, spec: { replicas: 3, selector, template: wide } },
      status: { replicas: 4, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1, unavailableReplicas: 3 },
    },
    {
      collection: apps("deployments"),
      object: { metadata: { name: "none" }, spec: { replicas: 0, selector: plain, template } },
    },
    {
      collection: apps("replicasets"),
      object: { metadata: { name: "web-1" }, spec: { replicas: 3, selector, template: wide } },
      status: { replicas: 2, readyReplicas: 1, fullyLabeledReplicas: 2 },
    },
    {
      collection: apps("statefulsets"),
      object: { metadata: { name: "db" }, spec: { replicas: 5, serviceName: "db", selector: plain, template } },
      status: { replicas: 3, readyReplicas: 2 },
    },
    {
      collection: apps("daemonsets"),
      object: {
        metadata: { name: "log" },
        spec: {
          selector: plain,
          template: {
            ...template,
            spec: { ...(template["spec"] as JsonObject), nodeSelector: { os: "linux", disk: "fast" } },
          },
        },
      },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
        numberMisscheduled: 0,
      },
    },
    { collection: apps("daemonsets"), object: { metadata: { name: "plain" }, spec: { selector: plain, template } } },
    {
      collection: apps("controllerrevisions"),
      object: {
        metadata: {
          name: "db-1",
          ownerReferences: [
            { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "u-1" },
            { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "u-2", controller: true },
          ],
        },
        revision: 7,
        data: { a: 1 },
      },
    },
    { collection: apps("controllerrevisions"), object: { metadata: { name: "free" }, revision: 0, data: {} } },
    {
      collection: coreIn("replicationcontrollers"),
      object: { metadata: { name: "rc" }, spec: { replicas: 2, selector: { app: "web" }, template } },
      status: { replicas: 2, readyReplicas: 1 },
    },
    { collection: coreIn("podtemplates"), object: { metadata: { name: "both" }, template } },
    {
      collection: coreIn("podtemplates"),
      object: { metadata: { name: "bare" }, template: { spec: { containers: [{ name: "c", image: "c" }] } } },
    },
    job("running", {}, { startTime: ago(130), active: 1 }),
    job("new", { completions: 4, parallelism: 2 }),
    job("queue", { parallelism: 3 }, { succeeded: 1, startTime: ago(700), active: 1 }),
    job(
      "complete",
      { completions: 1 },
      {
        succeeded: 1,
        startTime: ago(4000),
        completionTime: ago(300),
        conditions: [condition("SuccessCriteriaMet", ago), condition("Complete", ago)],
      },
    ),
    job("met", {}, { startTime: ago(60), conditions: [condition("SuccessCriteriaMet", ago)] }),
    job(
      "failed",
      { backoffLimit: 0 },
      { failed: 1, startTime: ago(200), conditions: [condition("FailureTarget", ago), condition("Failed", ago)] },
    ),
    job("failing", {}, { startTime: ago(200), conditions: [condition("FailureTarget", ago)] }),
    job("suspended", { suspend: true }, { conditions: [condition("Suspended", ago)] }),
    job("deleted", {}, { startTime: ago(20) }, true),
    {
      collection: namespaced("batch/v1", "cronjobs"),
      object: {
        metadata: { name: "nightly" },
        spec: { schedule: "0 3 * * *", timeZone: "Europe/Berlin", jobTemplate: { spec: { template: jobTemplate() } } },
      },
      status: {
        active: [
          { name: "a", namespace: "table" },
          { name: "b", namespace: "table" },
        ],
        lastScheduleTime: ago(3 * 86_400),
      },
    },
    {
      collection: namespaced("batch/v1", "cronjobs"),
      object: {
        metadata: { name: "off" },
        spec: { schedule: "@hourly", suspend: true, jobTemplate: { spec: { template: jobTemplate() } } },
      },
    },
  ];
}
