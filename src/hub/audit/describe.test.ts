// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { toRevision } from "../../model/revision.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import { describeClusterUpdate, describeNewCluster, describeReimport } from "./describe-cluster.ts";
import { describeJoinToken, describeToken } from "./describe-token.ts";

const record: ClusterRecord = {
  id: "east",
  metadata: { region: "eu", environment: "", version: "", kubernetesVersion: "", labels: new Map() },
  labels: new Map([["tier", "gold"]]),
  namespaces: { included: [], excluded: [] },
  keys: [{ publicKey: new Uint8Array(32).fill(7), state: "active" }],
  clusterUid: "uid-1",
  pause: undefined,
  isApproved: true,
  source: "agent",
  createdAtMs: 1,
  rbacCompleteAtMs: undefined,
  grantsBehindAtMs: undefined,
  revision: toRevision(1),
};

const pause = { by: "ann", atMs: 5 };

const secretHash = new Uint8Array(32).fill(9);

function actions(after: Partial<ClusterRecord>, before: Partial<ClusterRecord> = {}): readonly string[] {
  return describeClusterUpdate({ ...record, ...before }, { ...record, ...before, ...after }).map(
    ({ action }) => action,
  );
}

test("[AU1] each administrative field that an update changes is an action of its own; what sessions report is none", () => {
  expect(actions({ pause })).toEqual(["cluster.pause"]);
  expect(actions({ pause: undefined }, { pause })).toEqual(["cluster.resume"]);
  expect(actions({ isApproved: true }, { isApproved: false })).toEqual(["cluster.approve"]);
  expect(actions({ labels: new Map(), clusterUid: "uid-2" })).toEqual(["cluster.label", "cluster.accept"]);
  expect(actions({ clusterUid: "uid-2" }, { clusterUid: "" })).toEqual(["cluster.import"]);
  expect(actions({ keys: [] })).toEqual(["cluster.key"]);
  expect(actions({ metadata: { ...record.metadata, region: "us" }, rbacCompleteAtMs: 5 })).toEqual([]);
});

test("[AU2] an entry holds the old and the new value of its field", () => {
  expect(describeClusterUpdate(record, { ...record, labels: new Map([["tier", "silver"]]) })).toEqual([
    {
      action: "cluster.label",
      targetKind: "cluster",
      target: "east",
      before: { labels: "tier=gold" },
      after: { labels: "tier=silver" },
    },
  ]);
});

test("[AU3] public keys are recorded by fingerprint, secret hashes and credentials not at all", () => {
  const token = {
    id: "tok_1",
    user: "ann",
    groups: ["dev"],
    description: "ci",
    createdAtMs: 0,
    expiresAtMs: 1_000,
    secretHash,
    parentId: undefined,
    revision: toRevision(1),
  };
  const joinToken = {
    id: "tok_2",
    usesLeft: 1,
    namePattern: "*",
    needsApproval: false,
    description: "",
    createdAtMs: 0,
    expiresAtMs: undefined,
    secretHash,
    rotated: undefined,
    revision: toRevision(1),
  };
  const entries = [
    describeNewCluster(record, "cluster.join"),
    describeReimport(record, record),
    describeToken("token.create", token),
    describeJoinToken("created", joinToken),
    describeJoinToken("created", { ...joinToken, rotated: "east" }),
  ];
  expect(entries.map(({ after }) => Object.keys(after))).toEqual([
    ["paused", "approved", "labels", "uid", "keys"],
    ["paused", "approved", "labels", "uid", "keys", "credential"],
    ["user", "groups", "description", "expires"],
    ["uses", "namePattern", "needsApproval", "description", "expires"],
    ["joinToken"],
  ]);
  expect(entries[0]?.after["keys"]).toMatch(/^[0-9a-f]{16} active$/);
  const text = JSON.stringify(entries);
  for (const secret of [secretHash, record.keys[0]?.publicKey ?? secretHash])
    for (const form of [Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64")])
      expect(text).not.toContain(form);
});
