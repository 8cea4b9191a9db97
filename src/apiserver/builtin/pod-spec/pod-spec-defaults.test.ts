// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { DraftObject } from "../../json/json.ts";
import { setPodSpecDefaults, setPodTemplateDefaults } from "./pod-spec-defaults.ts";

function defaulted(spec: DraftObject): DraftObject {
  setPodSpecDefaults(spec);
  return spec;
}

test("a container and its Pod get what the API fills in", () => {
  expect(defaulted({ containers: [{ name: "app", image: "nginx", ports: [{ containerPort: 80 }] }] })).toEqual({
    containers: [
      {
        name: "app",
        image: "nginx",
        imagePullPolicy: "Always",
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        ports: [{ containerPort: 80, protocol: "TCP" }],
      },
    ],
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  });
});

test("values of the client stay, also an explicit zero", () => {
  const spec = defaulted({ containers: [], terminationGracePeriodSeconds: 0, restartPolicy: "Never" });
  expect(spec).toMatchObject({ terminationGracePeriodSeconds: 0, restartPolicy: "Never" });
});

test.for<[string, DraftObject, DraftObject]>([
  ["no source", {}, { emptyDir: {} }],
  ["a config map", { configMap: { name: "a" } }, { configMap: { name: "a", defaultMode: 420 } }],
  ["a host path", { hostPath: { path: "/" } }, { hostPath: { path: "/", type: "" } }],
  [
    "a token",
    { projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
    { projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }], defaultMode: 420 } },
  ],
])("a volume with %s", ([, volume, expected]) => {
  expect(defaulted({ volumes: [{ name: "v", ...volume }] })["volumes"]).toEqual([{ name: "v", ...expected }]);
});

test.for<[string, DraftObject, string | undefined]>([
  ["the old name counts alone", { serviceAccount: "old" }, "old"],
  ["the new name counts more", { serviceAccount: "old", serviceAccountName: "new" }, "new"],
  ["none stays none", { serviceAccount: "" }, undefined],
])("service account: %s", ([, spec, name]) => {
  const { serviceAccount, serviceAccountName } = defaulted(spec);
  expect([serviceAccount, serviceAccountName]).toEqual([name, name]);
});

test("a template without spec gets one", () => {
  const template: DraftObject = {};
  setPodTemplateDefaults(template);
  expect(template["spec"]).toMatchObject({ dnsPolicy: "ClusterFirst" });
});
