// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { configMapKind } from "../../kinds/config-map-kind.ts";
import { customResourceDefinitionKind } from "../../kinds/custom-resource-definition-kind.ts";
import { deploymentKind } from "../../kinds/deployment-kind.ts";
import { eventKind } from "../../kinds/event-kind.ts";
import { istioControlPlaneKind } from "../../kinds/istio/control-plane.ts";
import { peerAuthenticationKind } from "../../kinds/istio/peer-authentication-kind.ts";
import { namespaceKind } from "../../kinds/namespace-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { clusterRoleKind } from "../../kinds/rbac-role-kinds.ts";
import { serviceKind } from "../../kinds/service-kind.ts";
import { CollectorRig } from "./testing/collector-rig.ts";

const pods = { group: "", version: "v1", resource: "pods" };
const services = { group: "", version: "v1", resource: "services" };
const configMaps = { group: "", version: "v1", resource: "configmaps" };
const namespaces = { group: "", version: "v1", resource: "namespaces" };
const deployments = { group: "apps", version: "v1", resource: "deployments" };
const roles = { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterroles" };
const events = { group: "", version: "v1", resource: "events" };
const policies = { group: "security.istio.io", version: "v1", resource: "peerauthentications" };

describe("collecting", () => {
  test("[N-4] finds objects in all namespaces, also in one that came later, and a Pod behind no Service", async () => {
    await using rig = new CollectorRig({ kinds: [namespaceKind, podKind, serviceKind] });
    rig.server.put(pods, { metadata: { name: "a", namespace: "shop" } });
    rig.server.put(services, { metadata: { name: "a", namespace: "bank" } });
    await rig.clock.advance(1_000);
    expect([rig.namesOf(podKind), rig.namesOf(serviceKind)]).toEqual([["shop/a"], ["bank/a"]]);
    rig.server.put(namespaces, { metadata: { name: "late" } });
    rig.server.put(pods, { metadata: { name: "bare", namespace: "late" } });
    await rig.clock.advance(100);
    expect(rig.namesOf(podKind)).toEqual(["late/bare", "shop/a"]);
    rig.server.delete(pods, "shop", "a");
    await rig.clock.advance(100);
    expect(rig.namesOf(podKind)).toEqual(["late/bare"]);
    expect(rig.reportOf(podKind)?.state).toBe(KindState.WATCHING);
  });

  test("[N-6] shows a kind as not installed, and collects it once its definition is there, without a restart", async () => {
    await using rig = new CollectorRig({ kinds: [customResourceDefinitionKind, podKind, peerAuthenticationKind] });
    rig.server.unserve(policies);
    rig.server.put(pods, { metadata: { name: "a", namespace: "shop" } });
    await rig.clock.advance(1_000);
    expect(rig.reportOf(peerAuthenticationKind)).toMatchObject({ state: KindState.NOT_INSTALLED, error: "" });
    expect(rig.namesOf(podKind)).toEqual(["shop/a"]);
    rig.server.serve({ ...policies, kind: "PeerAuthentication", isNamespaced: true });
    rig.server.put(policies, { metadata: { name: "strict", namespace: "shop" } });
    const definitions = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };
    rig.server.put(definitions, { metadata: { name: "peerauthentications.security.istio.io" } });
    await rig.clock.advance(10_000);
    expect(rig.namesOf(peerAuthenticationKind)).toEqual(["shop/strict"]);
    rig.server.unserve(policies);
    await rig.clock.advance(90_000);
    expect([rig.namesOf(peerAuthenticationKind), rig.reportOf(peerAuthenticationKind)?.state]).toEqual([
      [],
      KindState.NOT_INSTALLED,
    ]);
  });

  test.each(["watch", "list"])(
    "[R-32] a kind whose definition is deleted is told with the server's own text, met by its %s, until it is back",
    async (verb) => {
      await using rig = new CollectorRig({ kinds: [podKind, peerAuthenticationKind] });
      await rig.clock.advance(1_000);
      expect(rig.reportOf(peerAuthenticationKind)?.state).toBe(KindState.WATCHING);
      rig.server.unserve(policies);
      if (verb === "list") {
        rig.server.faults.add({
          fault: { kind: "status", status: 500 },
          matches: (request) => request.verb === "watch" && request.gvr?.resource === policies.resource,
        });
      }
      await rig.clock.advance(90_000);
      rig.server.faults.clear();
      const absent = rig.reportOf(peerAuthenticationKind);
      expect(absent).toMatchObject({
        state: KindState.NOT_INSTALLED,
        version: "v1",
        fault: "notFound",
        verb,
      });
      expect(absent?.error).toMatch(/security\.istio\.io.*the server could not find the requested resource/);
      rig.server.serve({ group: "example.com", version: "v1", resource: "others", kind: "Other", isNamespaced: true });
      await rig.clock.advance(90_000);
      expect(rig.reportOf(peerAuthenticationKind)).toEqual(absent);
      rig.server.serve({ ...policies, kind: "PeerAuthentication", isNamespaced: true });
      await rig.clock.advance(90_000);
      expect(rig.reportOf(peerAuthenticationKind)).toMatchObject({ state: KindState.WATCHING, fault: "", error: "" });
    },
  );

  test("[R-32] a kind of which the server says nothing more when it is gone is not installed all the same", async () => {
    await using rig = new CollectorRig({ kinds: [podKind, peerAuthenticationKind] });
    await rig.clock.advance(1_000);
    rig.server.unserve(policies);
    rig.server.faults.add({
      fault: { kind: "status", status: 500 },
      matches: ({ gvr }) => gvr?.resource === policies.resource,
    });
    await rig.clock.advance(90_000);
    const report = rig.reportOf(peerAuthenticationKind);
    expect(report).toMatchObject({ state: KindState.NOT_INSTALLED, version: "", fault: "", verb: "", error: "" });
  });

  test("[N-38][N-40] [lesson navigator-7.2.5] goes on with the other kinds while one fails, keeps its rows, and says what is wrong since when", async () => {
    await using rig = new CollectorRig({ kinds: [podKind, serviceKind] });
    rig.server.put(services, { metadata: { name: "a", namespace: "shop" } });
    await rig.clock.advance(1_000);
    const currentAtMs = rig.reportOf(serviceKind)?.currentAtMs;
    rig.server.faults.add({
      fault: { kind: "status", status: 500 },
      matches: ({ gvr }) => gvr?.resource === "services",
    });
    rig.server.breakWatches("reset", ({ resource }) => resource === "services");
    await rig.clock.advance(300_000);
    rig.server.put(pods, { metadata: { name: "new", namespace: "shop" } });
    await rig.clock.advance(100);
    expect(rig.namesOf(podKind)).toEqual(["shop/new"]);
    expect(rig.namesOf(serviceKind)).toEqual(["shop/a"]);
    const report = rig.reportOf(serviceKind);
    expect(report).toMatchObject({ state: KindState.FAILED, fault: "serverError" });
    expect(report?.currentAtMs).toBeLessThanOrEqual((currentAtMs ?? 0) + 1_000);
    expect(rig.reportOf(podKind)?.state).toBe(KindState.WATCHING);
  });

  test("[N-39][R-30] tells a 403 with verb and text as that kind's own failure", async () => {
    await using rig = new CollectorRig({ kinds: [podKind, clusterRoleKind] });
    rig.server.isAllowed = ({ gvr }) => gvr?.resource !== "clusterroles";
    await rig.clock.advance(1_000);
    expect(rig.reportOf(clusterRoleKind)).toMatchObject({ state: KindState.FAILED, fault: "forbidden", verb: "list" });
    expect(rig.reportOf(clusterRoleKind)?.error).toContain("clusterroles");
    expect(rig.reportOf(podKind)?.state).toBe(KindState.WATCHING);
  });

  test("asks for a probe as soon as a watch breaks", async () => {
    await using rig = new CollectorRig({ kinds: [podKind] });
    await rig.clock.advance(1_000);
    const before = rig.doubtCount;
    rig.server.breakWatches("reset");
    await rig.clock.advance(10);
    expect(rig.doubtCount).toBeGreaterThan(before);
  });
});

describe("an object", () => {
  test("[N-57][L14] whose row is refused has none, and is told for itself alone", async () => {
    await using rig = new CollectorRig({ kinds: [clusterRoleKind] });
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
    rig.server.put(roles, { metadata: { name: "small" }, rules });
    rig.server.put(roles, { metadata: { name: "growing" }, rules });
    await rig.clock.advance(1_000);
    expect(rig.namesOf(clusterRoleKind)).toEqual(["growing", "small"]);
    const names = Array.from({ length: 9_000 }, (_, at) => `resource-${at}`);
    rig.server.put(roles, { metadata: { name: "growing" }, rules: [{ ...rules[0], resourceNames: names }] });
    await rig.clock.advance(1_000);
    expect(rig.namesOf(clusterRoleKind)).toEqual(["small"]);
    expect(rig.reportOf(clusterRoleKind)).toMatchObject({ state: KindState.WATCHING, refusedCount: 1 });
    expect(rig.reportOf(clusterRoleKind)?.refusedError).toContain("growing");
    rig.server.put(roles, { metadata: { name: "growing" }, rules });
    await rig.clock.advance(1_000);
    expect([rig.namesOf(clusterRoleKind), rig.reportOf(clusterRoleKind)?.refusedCount]).toEqual([
      ["growing", "small"],
      0,
    ]);
  });

  test("[CO15] that is being deleted for five minutes becomes stuck by the agent's own clock", async () => {
    await using rig = new CollectorRig({ kinds: [configMapKind] });
    const metadata = { name: "a", namespace: "shop", finalizers: ["example.com/wait"] };
    rig.server.put(configMaps, { metadata: { ...metadata, deletionTimestamp: "2020-01-01T00:00:00Z" } });
    await rig.clock.advance(10_000);
    expect(rig.rowsOf(configMapKind)[0]).toMatchObject({ status: "terminating" });
    await rig.clock.advance(300_000);
    expect(rig.rowsOf(configMapKind)[0]).toMatchObject({ status: "unhealthy", reason: "StuckTerminating" });
  });

  test("[CO15] that is gone before leaves no timer", async () => {
    await using rig = new CollectorRig({ kinds: [configMapKind] });
    rig.server.put(configMaps, {
      metadata: { name: "a", namespace: "shop", deletionTimestamp: "2020-01-01T00:00:00Z" },
    });
    await rig.clock.advance(10_000);
    rig.server.delete(configMaps, "shop", "a");
    await rig.clock.advance(400_000);
    expect(rig.rowsOf(configMapKind)).toEqual([]);
  });
});

describe("the mesh", () => {
  const istiod = (namespace: string) => ({
    metadata: { name: "istiod", namespace, labels: { app: "istiod" } },
    spec: { template: { spec: { containers: [{ name: "discovery", image: "istio/pilot:1.24.1" }] } } },
  });

  test("[N-61][N-62][KI16] is detected in any namespace, and policies are judged by it, again when it moves", async () => {
    const kinds = [deploymentKind, peerAuthenticationKind];
    await using rig = new CollectorRig({ kinds, derivedKinds: [istioControlPlaneKind] });
    rig.server.put(policies, { metadata: { name: "default", namespace: "mesh-sys" } });
    rig.server.put(policies, { metadata: { name: "default", namespace: "shop" } });
    rig.server.put(deployments, { metadata: { name: "web", namespace: "shop" } });
    const scopes = (): unknown =>
      rig.rowsOf(peerAuthenticationKind).map(({ namespace, columns }) => [namespace, columns.get("scope")]);
    await rig.clock.advance(1_000);
    expect(scopes()).toEqual(
      expect.arrayContaining([
        ["mesh-sys", "namespace"],
        ["shop", "namespace"],
      ]),
    );
    rig.server.put(deployments, istiod("mesh-sys"));
    await rig.clock.advance(5_000);
    expect(rig.namesOf(istioControlPlaneKind)).toEqual(["mesh-sys/istiod"]);
    expect(scopes()).toEqual(
      expect.arrayContaining([
        ["mesh-sys", "mesh"],
        ["shop", "namespace"],
      ]),
    );
    rig.server.delete(deployments, "mesh-sys", "istiod");
    await rig.clock.advance(5_000);
    expect(rig.namesOf(istioControlPlaneKind)).toEqual([]);
    expect(scopes()).toEqual(expect.arrayContaining([["mesh-sys", "namespace"]]));
  });
});

describe("events", () => {
  const warning = (name: string, reason: string) => ({
    metadata: { name, namespace: "shop" },
    type: "Warning",
    reason,
    involvedObject: { kind: "Pod", namespace: "shop", name: "web" },
    lastTimestamp: "2026-01-01T00:00:00Z",
  });

  test("[KI15] are kept as warnings merged by object and reason, for an hour, and go with a list that lacks them", async () => {
    await using rig = new CollectorRig({ kinds: [eventKind], settings: { watchSilenceMs: 90_000 } });
    rig.server.put(events, warning("web.1", "BackOff"));
    rig.server.put(events, warning("web.2", "BackOff"));
    rig.server.put(events, { ...warning("web.3", "Pulled"), type: "Normal" });
    await rig.clock.advance(1_000);
    expect(rig.rowsOf(eventKind)).toHaveLength(1);
    rig.server.put(events, warning("web.4", "Failed"));
    await rig.clock.advance(1_000);
    expect(rig.rowsOf(eventKind)).toHaveLength(2);
    // Deleted while nobody watched, and the history is gone: the list that follows does not hold it.
    rig.server.setState("down");
    rig.server.delete(events, "shop", "web.4");
    rig.server.compact();
    await rig.clock.advance(1_000);
    rig.server.setState("up");
    await rig.clock.advance(60_000);
    expect(rig.rowsOf(eventKind).map(({ reason }) => reason)).toEqual(["BackOff"]);
    await rig.clock.advance(3_700_000);
    expect(rig.rowsOf(eventKind)).toEqual([]);
  });
});
