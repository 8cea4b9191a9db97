// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { toSentence } from "../../status/field-error.ts";
import { setPodSpecDefaults } from "./pod-spec-defaults.ts";
import { validatePodSpec, validatePodTemplate } from "./validate-pod-spec.ts";

function sentences(spec: JsonObject, isPod = true): readonly string[] {
  const draft: DraftObject = copyJson(spec);
  setPodSpecDefaults(draft);
  return validatePodSpec(draft, "spec", { isPod, podName: "p" }).map(toSentence);
}

const good = { containers: [{ name: "app", image: "nginx" }] };

test("a plain spec has no errors", () => {
  expect(sentences(good)).toEqual([]);
});

test.for<[string, JsonObject, readonly string[]]>([
  ["no container", {}, ["spec.containers: Required value"]],
  [
    "an empty container",
    { containers: [{}] },
    ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
  ],
  [
    "a mount of a volume that is not there",
    { containers: [{ name: "app", image: "a", volumeMounts: [{ name: "v", mountPath: "/v" }] }] },
    ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
  ],
  [
    "two sources in a volume",
    { ...good, volumes: [{ name: "v", emptyDir: {}, nfs: {} }] },
    ["spec.volumes[0].nfs: Forbidden: may not specify more than 1 volume type"],
  ],
  [
    "an ephemeral volume whose claim is also named",
    {
      ...good,
      volumes: [
        {
          name: "e",
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
            },
          },
        },
        { name: "c", persistentVolumeClaim: { claimName: "p-e" } },
      ],
    },
    [
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-e": must not reference a PVC that gets created for an ephemeral volume',
    ],
  ],
  [
    "requests above limits",
    { containers: [{ name: "app", image: "a", resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }] },
    ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    "a host port twice",
    {
      containers: [
        { name: "a", image: "a", ports: [{ containerPort: 1, hostPort: 5 }] },
        { name: "b", image: "b", ports: [{ containerPort: 2, hostPort: 5 }] },
      ],
    },
    ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//5"'],
  ],
  [
    "users apart but the host's processes",
    { ...good, hostUsers: false, hostPID: true },
    ["spec.HostPID: Forbidden: when `hostUsers` is false"],
  ],
])("errors: %s", ([, spec, expected]) => {
  expect(sentences(spec)).toEqual(expected);
});

test("a template may leave host ports open that a Pod must have", () => {
  const spec = { hostNetwork: true, containers: [{ name: "a", image: "a", ports: [{ containerPort: 1 }] }] };
  expect(sentences(spec, false)).toEqual([]);
  expect(sentences(spec)).toHaveLength(1);
});

test("errors of a template have its path; the path of labels lacks metadata, as in kube-apiserver", () => {
  const errors = validatePodTemplate(
    { metadata: { labels: { "a b": "" } }, spec: { ephemeralContainers: [] } },
    "spec.template",
  );
  expect(errors.map(({ field }) => field)).toEqual([
    "spec.template.labels",
    "spec.template.spec.containers",
    "spec.template.spec.restartPolicy",
    "spec.template.spec.dnsPolicy",
  ]);
});
