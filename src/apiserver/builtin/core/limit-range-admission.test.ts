// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import type { ObjectReader } from "../../resources/object-reader.ts";
import { refuseBeyondLimits, refuseClaimBeyondLimits, setLimitRangeDefaults } from "./limit-range-admission.ts";

function rangeWith(...limits: readonly JsonObject[]): ObjectReader {
  return {
    get: () => undefined,
    list: (resource, namespace) => (resource === "limitranges" && namespace === "ns" ? [{ spec: { limits } }] : []),
  };
}

function podWith(resources: JsonObject): DraftObject {
  const containers = [{ name: "app", resources: copyJson(resources) }];
  return { metadata: { name: "p", namespace: "ns" }, spec: { containers } };
}

const defaults = { type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "500m", memory: "1Mi" } };

test("a container without resources gets the defaults, and the Pod an annotation", () => {
  const pod = podWith({});
  setLimitRangeDefaults(pod, rangeWith(defaults));
  expect(pod).toEqual({
    metadata: {
      name: "p",
      namespace: "ns",
      annotations: {
        "kubernetes.io/limit-ranger":
          "LimitRanger plugin set: cpu, memory request for container app; cpu limit for container app",
      },
    },
    spec: {
      containers: [{ name: "app", resources: { limits: { cpu: "1" }, requests: { cpu: "500m", memory: "1Mi" } } }],
    },
  });
});

test("resources of a container stay", () => {
  const pod = podWith({ limits: { cpu: "2" }, requests: { cpu: "2", memory: "2Mi" } });
  const before = copyJson(pod);
  setLimitRangeDefaults(pod, rangeWith(defaults));
  expect(pod).toEqual(before);
});

test.for<[string, JsonObject, JsonObject, string | undefined]>([
  ["within bounds", { type: "Container", max: { cpu: "2" } }, { limits: { cpu: "2" } }, undefined],
  [
    "too much",
    { type: "Container", max: { cpu: "2" } },
    { limits: { cpu: "3" } },
    "maximum cpu usage per Container is 2, but limit is 3",
  ],
  [
    "too little, and no limit",
    { type: "Container", min: { cpu: "1" }, max: { memory: "1Gi" } },
    { requests: { cpu: "500m" } },
    "[minimum cpu usage per Container is 1, but request is 500m, maximum memory usage per Container is 1Gi.  No limit is specified]",
  ],
  [
    "too much as a whole",
    { type: "Pod", max: { cpu: "1" } },
    { limits: { cpu: "1500m" } },
    "maximum cpu usage per Pod is 1, but limit is 1500m",
  ],
  [
    "a ratio too large",
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    { limits: { cpu: "3" }, requests: { cpu: "1" } },
    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
  ],
])("%s", ([, limit, resources, because]) => {
  const admit = (): void => refuseBeyondLimits(podWith(resources), rangeWith(limit));
  if (because === undefined) expect(admit).not.toThrow();
  else expect(admit).toThrow(`pods "p" is forbidden: ${because}`);
});

test("a claim that is too large is refused", () => {
  const claim = { metadata: { name: "c", namespace: "ns" }, spec: { resources: { requests: { storage: "2Gi" } } } };
  const limits = rangeWith({ type: "PersistentVolumeClaim", max: { storage: "1Gi" } });
  expect(() => refuseClaimBeyondLimits(claim, limits)).toThrow(
    'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
  );
});
