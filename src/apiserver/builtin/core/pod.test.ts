// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { objectAt } from "../../json/json-fields.ts";
import type { WriteContext } from "../../resources/strategy.ts";
import { toSentence } from "../../status/field-error.ts";
import { podStrategy } from "./pod.ts";

function contextWith(objects: Readonly<Record<string, JsonObject>>): WriteContext {
  return {
    nowMs: 0,
    random: createSeededRandom(1),
    userName: "u",
    objects: {
      get: (resource, namespace, name) => objects[`${resource}/${namespace}/${name}`],
      list: (resource) =>
        Object.entries(objects)
          .filter(([key]) => key.startsWith(`${resource}/`))
          .map(([, object]) => object),
    },
  };
}

const account = { metadata: { name: "default" } };
const plainContext = contextWith({ "serviceaccounts/ns/default": account });

function created(spec: JsonObject, context: WriteContext = plainContext): DraftObject {
  const pod: DraftObject = {
    metadata: { name: "p", namespace: "ns" },
    spec: copyJson({ containers: [{ name: "app", image: "a" }], ...spec }),
  };
  podStrategy.setDefaults?.(pod);
  podStrategy.prepareForCreate?.(pod, context);
  return pod;
}

test("every container gets the token of its account, once", () => {
  const { spec } = created({ initContainers: [{ name: "init", image: "a" }] });
  const volume = (spec as { volumes: { name: string }[] }).volumes[0]?.name ?? "";
  expect(volume).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
  const mount = { name: volume, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" };
  expect(spec).toMatchObject({
    serviceAccount: "default",
    serviceAccountName: "default",
    containers: [{ volumeMounts: [mount] }],
    initContainers: [{ volumeMounts: [mount] }],
  });
});

test.for<[string, JsonObject, JsonObject]>([
  ["the Pod", { automountServiceAccountToken: false }, account],
  ["the account", {}, { ...account, automountServiceAccountToken: false }],
])("no token is mounted where %s does not want it", ([, spec, serviceAccount]) => {
  const pod = created(spec, contextWith({ "serviceaccounts/ns/default": serviceAccount }));
  expect(objectAt(pod, "spec")).not.toHaveProperty("volumes");
});

test("pull secrets come from the account", () => {
  const serviceAccount = { ...account, imagePullSecrets: [{ name: "s" }] };
  const pod = created({}, contextWith({ "serviceaccounts/ns/default": serviceAccount }));
  expect(pod["spec"]).toMatchObject({ imagePullSecrets: [{ name: "s" }] });
});

test("a Pod whose account is not there is refused", () => {
  expect(() => created({ serviceAccountName: "gone" })).toThrow(
    'pods "p" is forbidden: error looking up service account ns/gone: serviceaccount "gone" not found',
  );
});

test("the priority is that of the class, or of the default class, or zero", () => {
  const classes = {
    "serviceaccounts/ns/default": account,
    "scheduling.k8s.io/priorityclasses//high": { metadata: { name: "high" }, value: 100, preemptionPolicy: "Never" },
    "scheduling.k8s.io/priorityclasses//mid": { metadata: { name: "mid" }, value: 50, globalDefault: true },
  };
  expect(created({})["spec"]).toMatchObject({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
  expect(created({}, contextWith(classes))["spec"]).toMatchObject({ priority: 50, priorityClassName: "mid" });
  const high = created({ priorityClassName: "high" }, contextWith(classes));
  expect(high["spec"]).toMatchObject({ priority: 100, preemptionPolicy: "Never" });
  expect(() => created({ priorityClassName: "__proto__" })).toThrow("no PriorityClass with name __proto__ was found");
});

test.for<[string, JsonObject, string]>([
  ["nothing asked for", {}, "BestEffort"],
  ["requests only", { requests: { cpu: "1" } }, "Burstable"],
  ["limits of both", { limits: { cpu: "1", memory: "1Gi" } }, "Guaranteed"],
  ["limits of one", { limits: { cpu: "1" } }, "Burstable"],
  ["requests below limits", { requests: { cpu: "500m" }, limits: { cpu: "1", memory: "1Gi" } }, "Burstable"],
])("quality of service with %s", ([, resources, qosClass]) => {
  const pod = created({ containers: [{ name: "app", image: "a", resources }] });
  expect(pod["status"]).toEqual({ phase: "Pending", qosClass });
});

test.for<[string, JsonObject, number | undefined, number]>([
  ["what it says itself", { spec: { nodeName: "n", terminationGracePeriodSeconds: 7 } }, undefined, 7],
  ["what was asked for", { spec: { nodeName: "n", terminationGracePeriodSeconds: 7 } }, 1, 1],
  ["nothing when it never ran", { spec: { terminationGracePeriodSeconds: 7 } }, 20, 0],
  ["nothing when it has ended", { spec: { nodeName: "n" }, status: { phase: "Failed" } }, 20, 0],
  ["a second for less than nothing", { spec: { nodeName: "n" } }, -5, 1],
])("a deleted Pod gets %s", ([, pod, requested, seconds]) => {
  expect(podStrategy.graceSeconds?.(pod, requested)).toBe(seconds);
});

test.for<[string, (spec: DraftObject) => void, readonly string[]]>([
  ["an image", (spec) => Object.assign((spec["containers"] as DraftObject[])[0] ?? {}, { image: "b" }), []],
  ["a deadline", (spec) => Object.assign(spec, { activeDeadlineSeconds: 9 }), []],
  [
    "no toleration",
    (spec) => Object.assign(spec, { tolerations: [] }),
    ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
  ],
  [
    "another container",
    (spec) => Object.assign(spec, { containers: [] }),
    ["spec.containers: Forbidden: pod updates may not add or remove containers"],
  ],
])("an update to %s", ([, change, expected]) => {
  const old = created({});
  const pod = copyJson(old);
  change(pod["spec"] as DraftObject);
  expect(podStrategy.validateUpdate?.(pod, old).map(toSentence)).toEqual(expected);
});

test("an update to anything else is refused", () => {
  const old = created({});
  const pod = copyJson(old);
  Object.assign(pod["spec"] as DraftObject, { nodeName: "n" });
  const [error] = podStrategy.validateUpdate?.(pod, old) ?? [];
  expect(error?.text).toContain("pod updates may not change fields other than `spec.containers[*].image`");
});
