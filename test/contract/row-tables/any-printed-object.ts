// SPDX-License-Identifier: Apache-2.0
// Objects as an API server may hold them, in any state that changes what kubectl prints.
import * as fc from "fast-check";
import { cronJobKind } from "../../../src/kinds/cron-job-kind.ts";
import { daemonSetKind } from "../../../src/kinds/daemon-set-kind.ts";
import { deploymentKind } from "../../../src/kinds/deployment-kind.ts";
import { endpointSliceKind } from "../../../src/kinds/endpoint-slice-kind.ts";
import { ingressKind } from "../../../src/kinds/ingress-kind.ts";
import { jobKind } from "../../../src/kinds/job-kind.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { nodeKind } from "../../../src/kinds/node-kind.ts";
import { persistentVolumeClaimKind } from "../../../src/kinds/persistent-volume-claim-kind.ts";
import { persistentVolumeKind } from "../../../src/kinds/persistent-volume-kind.ts";
import { serviceKind } from "../../../src/kinds/service-kind.ts";

type Any<T> = fc.Arbitrary<T>;

/** The time at which these objects are printed. */
export const printedAtMs = Date.parse("2026-01-09T12:30:00Z");

const anyTime: Any<string> = fc
  .integer({ min: -5, max: 400_000_000 })
  .map((seconds) => `${new Date(printedAtMs - seconds * 1_000).toISOString().slice(0, 19)}Z`);

/** The value, or undefined as often. */
function maybe<T>(value: Any<T>): Any<T | undefined> {
  return fc.option(value, { nil: undefined });
}

function listOf<T>(value: Any<T>, maxLength: number): Any<T[]> {
  return fc.array(value, { maxLength });
}

const count = fc.nat({ max: 3 });
const word = fc.constantFrom("a", "b", "c.d", "app");

const metadata = fc.record({
  name: fc.constant("web"),
  namespace: fc.constant("shop"),
  creationTimestamp: anyTime,
  deletionTimestamp: maybe(anyTime),
});

const conditionsOf = (...types: readonly string[]): Any<object[]> =>
  fc
    .tuple(
      ...types.map((type) => maybe(fc.record({ type: fc.constant(type), status: fc.constantFrom("True", "False") }))),
    )
    .map((all) => all.filter((each) => each !== undefined));

const ended = fc.record({
  exitCode: fc.constantFrom(0, 1, 137),
  reason: maybe(fc.constantFrom("Completed", "Error", "OOMKilled", "")),
  signal: maybe(fc.constantFrom(0, 9)),
  finishedAt: anyTime,
});

const containerState = fc.oneof(
  fc.constant({}),
  fc.record({ running: fc.record({ startedAt: anyTime }) }),
  fc.record({ terminated: ended }),
  fc.record({
    waiting: fc.record({
      reason: maybe(fc.constantFrom("PodInitializing", "ContainerCreating", "CrashLoopBackOff", "")),
    }),
  }),
);

const containerStatus = fc.record({
  ready: fc.boolean(),
  started: maybe(fc.boolean()),
  restartCount: count,
  state: maybe(containerState),
  lastState: fc.oneof(fc.constant({}), fc.record({ terminated: ended })),
});

/** Containers with their statuses, which a node writes for all of them or for none. */
function containers(prefix: string, minLength: number): Any<{ specs: object[]; statuses: object[] | undefined }> {
  const one = fc.record({ restartPolicy: maybe(fc.constant("Always")), status: containerStatus });
  return fc.tuple(fc.array(one, { minLength, maxLength: 3 }), fc.boolean()).map(([all, isReported]) => ({
    specs: all.map(({ restartPolicy }, at) => ({
      name: `${prefix}${at}`,
      image: `${prefix}:${at}`,
      ...(prefix === "init" && restartPolicy !== undefined ? { restartPolicy } : {}),
    })),
    statuses: isReported ? all.map(({ status }, at) => ({ name: `${prefix}${at}`, ...status })) : undefined,
  }));
}

const scheduling = fc.constantFrom(
  [],
  [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
  [{ type: "PodScheduled", status: "True" }],
);

/** A Pod in any state. */
export const anyPod: Any<object> = fc
  .record({
    metadata,
    init: containers("init", 0),
    main: containers("main", 1),
    conditions: conditionsOf("Ready", "Initialized", "lb/ready"),
    scheduling,
    status: fc.record({
      phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed", "Unknown"),
      reason: maybe(fc.constantFrom("Evicted", "NodeLost", "")),
      nominatedNodeName: maybe(word),
    }),
    ip: maybe(fc.constantFrom("10.1.0.7", "fd00::7")),
    nodeName: maybe(word),
    readinessGates: listOf(fc.constantFrom({ conditionType: "lb/ready" }, { conditionType: "lb/known" }), 2),
  })
  .map(({ metadata: meta, init, main, conditions, scheduling: scheduled, status, ip, nodeName, readinessGates }) => ({
    metadata: meta,
    spec: { initContainers: init.specs, containers: main.specs, nodeName, readinessGates },
    status: {
      ...status,
      conditions: [...conditions, ...scheduled],
      initContainerStatuses: init.statuses,
      containerStatuses: main.statuses,
      ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }, { ip: "fd00::9" }] }),
    },
  }));

/** At most one expression for each key, beside a label of it. */
const selector = fc.record({
  matchLabels: maybe(fc.dictionary(word, word, { maxKeys: 3 })),
  matchExpressions: maybe(
    fc.uniqueArray(
      fc.record({
        key: word,
        operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
        values: fc.uniqueArray(word, { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 3, selector: ({ key }) => key },
    ),
  ),
});

const template = fc.record({
  spec: fc.record({
    initContainers: listOf(fc.record({ name: word, image: word }), 1),
    containers: fc.array(fc.record({ name: word, image: word }), { minLength: 1, maxLength: 3 }),
    nodeSelector: maybe(fc.dictionary(word, word, { maxKeys: 3 })),
  }),
});

const balancer = fc.record({
  ingress: maybe(
    listOf(fc.oneof(fc.record({ ip: fc.constantFrom("192.0.2.9", "192.0.2.1") }), fc.record({ hostname: word })), 3),
  ),
});

const ports = listOf(
  fc.record({
    port: fc.constantFrom(80, 443),
    nodePort: maybe(fc.constant(30_080)),
    protocol: fc.constantFrom("TCP", "UDP"),
  }),
  3,
);

const modes = fc.subarray(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]);
const storageClass = "volume.beta.kubernetes.io/storage-class";
const annotatedMetadata = fc
  .tuple(metadata, maybe(word))
  .map(([meta, annotated]) =>
    annotated === undefined ? meta : { ...meta, annotations: { [storageClass]: annotated } },
  );

const job = fc.record({
  metadata,
  spec: fc.record({ completions: maybe(count), parallelism: maybe(count), selector: maybe(selector), template }),
  status: fc.record({
    succeeded: maybe(count),
    startTime: maybe(anyTime),
    completionTime: maybe(anyTime),
    conditions: conditionsOf("Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"),
  }),
});

const host = fc.constantFrom("a.example", "b.example", "c.example", "d.example", "e.example");

/** Objects of other kinds whose cells combine several parts of the object. */
export const anyPrintedObjects: readonly (readonly [Kind, Any<object>])[] = [
  [
    deploymentKind,
    fc.record({
      metadata,
      spec: fc.record({ replicas: count, selector, template }),
      status: fc.record({ readyReplicas: count, updatedReplicas: count, availableReplicas: maybe(count) }),
    }),
  ],
  [
    daemonSetKind,
    fc.record({
      metadata,
      spec: fc.record({ selector, template }),
      status: fc.record({ desiredNumberScheduled: count, currentNumberScheduled: count, numberReady: count }),
    }),
  ],
  [jobKind, job],
  [
    cronJobKind,
    fc.record({
      metadata,
      spec: fc.record({
        schedule: fc.constant("@daily"),
        timeZone: maybe(word),
        suspend: fc.boolean(),
        jobTemplate: fc.record({ spec: fc.record({ template, selector: maybe(selector) }) }),
      }),
      status: fc.record({ active: listOf(fc.record({ name: word }), 2), lastScheduleTime: maybe(anyTime) }),
    }),
  ],
  [
    serviceKind,
    fc.record({
      metadata,
      spec: fc.record({
        type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
        clusterIPs: maybe(fc.constantFrom(["10.0.0.1"], ["None"], ["10.0.0.1", "fd00::1"])),
        externalIPs: maybe(listOf(fc.constantFrom("203.0.113.1", "203.0.113.2"), 2)),
        externalName: maybe(host),
        ports: maybe(ports),
        selector: maybe(fc.dictionary(word, word, { maxKeys: 3 })),
      }),
      status: fc.record({ loadBalancer: balancer }),
    }),
  ],
  [
    ingressKind,
    fc
      .record({
        metadata,
        annotation: maybe(word),
        spec: fc.record({
          ingressClassName: maybe(word),
          rules: maybe(listOf(fc.record({ host }, { requiredKeys: [] }), 6)),
          tls: maybe(listOf(fc.record({ hosts: listOf(host, 1) }), 1)),
        }),
        status: fc.record({ loadBalancer: balancer }),
      })
      .map(({ annotation, metadata: meta, ...rest }) => ({
        ...rest,
        metadata: {
          ...meta,
          annotations: annotation === undefined ? {} : { "kubernetes.io/ingress.class": annotation },
        },
      })),
  ],
  [
    endpointSliceKind,
    fc.record({
      metadata,
      addressType: fc.constantFrom("IPv4", "FQDN"),
      ports: maybe(listOf(fc.record({ port: fc.constant(80), name: word }, { requiredKeys: [] }), 5)),
      endpoints: maybe(listOf(fc.record({ addresses: listOf(word, 3) }), 5)),
    }),
  ],
  [
    persistentVolumeKind,
    fc.record({
      metadata: annotatedMetadata,
      spec: fc.record({
        capacity: maybe(fc.constant({ storage: "8Gi" })),
        accessModes: modes,
        claimRef: maybe(fc.constant({ namespace: "shop", name: "data" })),
        persistentVolumeReclaimPolicy: fc.constantFrom("Retain", "Delete"),
        storageClassName: maybe(word),
        volumeMode: maybe(fc.constant("Block")),
        volumeAttributesClassName: maybe(word),
      }),
      status: fc.record({ phase: fc.constantFrom("Pending", "Failed"), reason: maybe(word) }),
    }),
  ],
  [
    persistentVolumeClaimKind,
    fc.record({
      metadata: annotatedMetadata,
      spec: fc.record({
        accessModes: modes,
        volumeName: maybe(fc.constantFrom("pv-1", "")),
        storageClassName: maybe(word),
        volumeAttributesClassName: maybe(word),
      }),
      status: fc.record({
        phase: fc.constantFrom("Pending", "Bound"),
        accessModes: maybe(modes),
        capacity: maybe(fc.constant({ storage: "8Gi" })),
      }),
    }),
  ],
  [
    nodeKind,
    fc.record({
      metadata: fc
        .tuple(metadata, fc.subarray(["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/", "other"]))
        .map(([meta, keys]) => ({ ...meta, labels: Object.fromEntries(keys.map((key) => [key, "x"])) })),
      spec: fc.record({ unschedulable: maybe(fc.boolean()) }),
      status: fc.record({
        conditions: conditionsOf("Ready", "DiskPressure"),
        addresses: fc.subarray([
          { type: "InternalIP", address: "10.0.0.1" },
          { type: "ExternalIP", address: "203.0.113.1" },
          { type: "InternalIP", address: "fd00::1" },
        ]),
        nodeInfo: fc.record({ kubeletVersion: maybe(word), kernelVersion: maybe(word), architecture: maybe(word) }),
      }),
    }),
  ],
];
