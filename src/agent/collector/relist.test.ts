// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { peerAuthenticationKind } from "../../kinds/istio/peer-authentication-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { CollectorRig } from "./testing/collector-rig.ts";

const pods = { group: "", version: "v1", resource: "pods" };
const policies = { group: "security.istio.io", version: "v1", resource: "peerauthentications" };

function completenessOf(rig: CollectorRig): readonly (boolean | undefined)[] {
  return ["pods", "security.istio.io/peerauthentications"].map((resource) => rig.rows.getKind(resource)?.isComplete);
}

test("[SE36] when lists are doubted no kind is complete, rows stay, and each is complete again once it was listed, or found not served, anew", async () => {
  await using rig = new CollectorRig({ kinds: [podKind, peerAuthenticationKind] });
  rig.server.unserve(policies);
  rig.server.put(pods, { metadata: { name: "a", namespace: "shop" } });
  await rig.clock.advance(1_000);
  expect(completenessOf(rig)).toEqual([true, true]);
  // Its watch is behind: nobody tells it that a is gone and b has come.
  rig.server.breakWatches("silence");
  rig.server.delete(pods, "shop", "a");
  rig.server.put(pods, { metadata: { name: "b", namespace: "shop" } });
  rig.collector.relist();
  expect([completenessOf(rig), rig.namesOf(podKind)]).toEqual([[false, false], ["shop/a"]]);
  expect(rig.reportOf(podKind)).toMatchObject({ state: KindState.LISTING, currentAtMs: undefined });
  expect(rig.reportOf(peerAuthenticationKind)).toMatchObject({ state: KindState.LISTING });
  await rig.clock.advance(2_000);
  expect([completenessOf(rig), rig.namesOf(podKind)]).toEqual([[true, true], ["shop/b"]]);
  expect(rig.reportOf(podKind)?.state).toBe(KindState.WATCHING);
  expect(rig.reportOf(peerAuthenticationKind)?.state).toBe(KindState.NOT_INSTALLED);
});

test("[SE36] a list that was under way when lists were doubted does not count, however soon it would have ended", async () => {
  await using rig = new CollectorRig({ kinds: [podKind], server: { latency: { minMs: 50, maxMs: 50 } } });
  rig.server.put(pods, { metadata: { name: "a", namespace: "shop" } });
  for (let turn = 0; turn < 20; turn += 1) {
    rig.collector.relist();
    await rig.clock.advance(30);
    expect(rig.rows.getKind("pods")?.isComplete ?? false).toBe(false);
  }
  await rig.clock.advance(2_000);
  expect(rig.rows.getKind("pods")?.isComplete).toBe(true);
});
