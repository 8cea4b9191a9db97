// SPDX-License-Identifier: Apache-2.0
// Kinds without a file of their own, followed because discovery lists them (KI14, KI23 to KI26).
import { describe, expect, test } from "vitest";
import type { SimResource } from "../../../test/support/sim/sim-api-server-store.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { chooseKinds } from "../../kinds/choose-kinds.ts";
import { customResourceDefinitionKind } from "../../kinds/custom-resource-definition-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { CollectorRig } from "./testing/collector-rig.ts";

const certificates: SimResource = {
  group: "cert-manager.io",
  version: "v1",
  resource: "certificates",
  kind: "Certificate",
  isNamespaced: true,
};
const definitions = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };
const certificateKind = { resource: { group: "cert-manager.io", resource: "certificates" } };
const ready = { type: "Ready", status: "False", reason: "Expired", message: "the certificate ended" };

function rigWith(...kinds: readonly string[]): CollectorRig {
  const { others } = chooseKinds({ kinds, excludeKinds: [] });
  return new CollectorRig({ kinds: [customResourceDefinitionKind, podKind], otherKinds: others });
}

/** Serves the kind, and its definition says so. */
function install(rig: CollectorRig, served: SimResource): void {
  rig.server.serve(served);
  rig.server.put(definitions, { metadata: { name: `${served.resource}.${served.group}` } });
}

function put(rig: CollectorRig, served: SimResource, name: string): void {
  rig.server.put(served, { metadata: { name, namespace: "shop" }, status: { conditions: [ready] } });
}

describe("a kind without a file of its own", () => {
  test("[KI14] [KI23] is followed by a pattern from the moment that its definition comes, by metadata and conditions", async () => {
    await using rig = rigWith("cert-manager.io/*");
    await rig.clock.advance(1_000);
    expect(rig.reportOf(certificateKind)).toBeUndefined();
    install(rig, certificates);
    put(rig, certificates, "web");
    await rig.clock.advance(10_000);
    expect(rig.reportOf(certificateKind)).toMatchObject({ state: KindState.WATCHING, version: "v1" });
    const [row] = rig.rowsOf(certificateKind);
    expect(row).toMatchObject({ namespace: "shop", name: "web", status: "unhealthy", reason: "Expired" });
    expect([...(row?.columns ?? [])]).toEqual([
      ["conditions", ['{"type":"Ready","status":"False","reason":"Expired"}']],
    ]);
  });

  test("[KI23] that is named is told as not installed until the cluster serves it", async () => {
    await using rig = rigWith("certificates.cert-manager.io");
    await rig.clock.advance(1_000);
    expect(rig.reportOf(certificateKind)).toMatchObject({ state: KindState.NOT_INSTALLED });
    expect(rig.rows.getKind("cert-manager.io/certificates")?.isComplete).toBe(true);
    install(rig, certificates);
    put(rig, certificates, "web");
    await rig.clock.advance(10_000);
    expect(rig.namesOf(certificateKind)).toEqual(["shop/web"]);
    expect(rig.rows.getKind("cert-manager.io/certificates")?.spec.kind).toBe("Certificate");
  });

  test("[SE28] [L4] that goes is emptied where the server says so, and kept where its group does not answer", async () => {
    await using rig = rigWith("cert-manager.io/*");
    install(rig, certificates);
    put(rig, certificates, "web");
    await rig.clock.advance(1_000);
    rig.server.staleGroupVersions.add("cert-manager.io/v1");
    await rig.clock.advance(130_000);
    expect(rig.namesOf(certificateKind)).toEqual(["shop/web"]);
    rig.server.staleGroupVersions.clear();
    rig.server.unserve(certificates);
    await rig.clock.advance(130_000);
    expect(rig.namesOf(certificateKind)).toEqual([]);
    expect(rig.reportOf(certificateKind)?.state).toBe(KindState.NOT_INSTALLED);
  });

  test("[KI25] is read in its best version, and anew when a better one comes or its scope changes", async () => {
    await using rig = rigWith("cert-manager.io/*");
    install(rig, { ...certificates, version: "v1beta1" });
    rig.server.serve({ ...certificates, version: "v1alpha2" });
    await rig.clock.advance(10_000);
    expect(rig.reportOf(certificateKind)).toMatchObject({ state: KindState.WATCHING, version: "v1beta1" });
    install(rig, certificates);
    await rig.clock.advance(130_000);
    expect(rig.reportOf(certificateKind)).toMatchObject({ state: KindState.WATCHING, version: "v1" });
    rig.server.unserve(certificates);
    install(rig, { ...certificates, isNamespaced: false });
    rig.server.put(certificates, { metadata: { name: "wide" } });
    await rig.clock.advance(130_000);
    expect(rig.namesOf(certificateKind)).toEqual(["wide"]);
  });

  test("[KI24] [L18] `*` follows none of what is left out", async () => {
    await using rig = rigWith("*");
    rig.server.serve({ group: "", version: "v1", resource: "secrets", kind: "Secret", isNamespaced: true });
    const leases = {
      group: "coordination.k8s.io",
      version: "v1",
      resource: "leases",
      kind: "Lease",
      isNamespaced: true,
    };
    rig.server.serve(leases);
    const events = { group: "events.k8s.io", version: "v1", resource: "events", kind: "Event", isNamespaced: true };
    rig.server.serve(events);
    install(rig, certificates);
    await rig.clock.advance(10_000);
    const followed = rig.collector.reports.list().map(({ resource }) => resource);
    expect(followed).toEqual([
      "apiextensions.k8s.io/customresourcedefinitions",
      "pods",
      "cert-manager.io/certificates",
    ]);
  });

  test("[SE58] that the hub holds rows of and the cluster no longer serves is told as not installed", async () => {
    await using rig = rigWith("cert-manager.io/*");
    await rig.clock.advance(1_000);
    const strange = { group: "example.com", resource: "widgets" };
    rig.collector.noteHeld([certificateKind.resource, strange]);
    await rig.clock.advance(10_000);
    expect(rig.reportOf(certificateKind)).toMatchObject({ state: KindState.NOT_INSTALLED });
    expect(rig.rows.getKind("cert-manager.io/certificates")?.isComplete).toBe(true);
    expect(rig.reportOf({ resource: strange })).toBeUndefined();
  });

  test("[SE58] [L4] that the hub holds rows of is not told as gone while its group does not answer", async () => {
    await using rig = rigWith("cert-manager.io/*");
    rig.server.serve(certificates);
    rig.server.staleGroupVersions.add("cert-manager.io/v1");
    await rig.clock.advance(1_000);
    rig.collector.noteHeld([certificateKind.resource]);
    await rig.clock.advance(10_000);
    expect(rig.reportOf(certificateKind)?.state).not.toBe(KindState.NOT_INSTALLED);
    expect(rig.rows.getKind("cert-manager.io/certificates")?.isComplete ?? false).toBe(false);
  });

  test("[SE28] [L4] that is left out is neither named nor emptied, though the hub holds rows of it", async () => {
    const { others } = chooseKinds({ kinds: ["*"], excludeKinds: ["cert-manager.io/*"] });
    await using rig = new CollectorRig({ kinds: [customResourceDefinitionKind, podKind], otherKinds: others });
    install(rig, certificates);
    await rig.clock.advance(1_000);
    rig.collector.noteHeld([certificateKind.resource]);
    await rig.clock.advance(10_000);
    expect(rig.reportOf(certificateKind)).toBeUndefined();
    expect(rig.rows.getKind("cert-manager.io/certificates")).toBeUndefined();
  });

  test("[KI26] beyond 1,000 further ones are left alone", async () => {
    await using rig = rigWith("many.example.com/*");
    for (let at = 0; at < 1_003; at += 1) {
      const resource = `kind${String(at).padStart(4, "0")}s`;
      rig.server.serve({ group: "many.example.com", version: "v1", resource, kind: `Kind${at}`, isNamespaced: true });
    }
    await rig.clock.advance(10_000);
    expect(rig.collector.kinds).toHaveLength(2 + 1_000);
    expect(rig.collector.kinds.at(-1)?.resource.resource).toBe("kind0999s");
  });
});
