// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Normaliser } from "./normalise.ts";

const nowMs = Date.parse("2026-05-05T00:00:00Z");

function normalised(...bodies: readonly unknown[]): readonly unknown[] {
  const normaliser = new Normaliser({ run: "r0a1b2c3d", nowMs });
  return bodies.map((body) => normaliser.normalise({ status: 200, headers: {}, body }).body);
}

const first = "11111111-2222-3333-4444-555555555555";
const second = "66666666-7777-8888-9999-000000000000";

test("equal uids and resourceVersions get equal tokens, others get others, also within sentences", () => {
  expect(
    normalised(
      { metadata: { uid: first, resourceVersion: "41" } },
      { metadata: { uid: second, resourceVersion: "42", ownerReferences: [{ uid: first }] } },
      { metadata: { uid: first, resourceVersion: "41" }, message: `the UID in record (${second})` },
    ),
  ).toEqual([
    { metadata: { uid: "<uid 1>", resourceVersion: "<resourceVersion 1>" } },
    { metadata: { uid: "<uid 2>", resourceVersion: "<resourceVersion 2>", ownerReferences: [{ uid: "<uid 1>" }] } },
    { metadata: { uid: "<uid 1>", resourceVersion: "<resourceVersion 1>" }, message: "the UID in record (<uid 2>)" },
  ]);
});

test("the order in which a server writes keys does not change the tokens", () => {
  const metadata = { uid: first, ownerReferences: [{ uid: second }] };
  const reversed = { ownerReferences: [{ uid: second }], uid: first };
  expect(normalised({ metadata })).toEqual(normalised({ metadata: reversed }));
});

test("resourceVersions of lists and bookmarks are not those of objects", () => {
  const list = { kind: "ConfigMapList", metadata: { resourceVersion: "9", continue: "abc" }, items: [] };
  const bookmark = [{ type: "BOOKMARK", object: { kind: "ConfigMap", metadata: { resourceVersion: "9" } } }];
  expect(normalised(list, bookmark)).toEqual([
    { ...list, metadata: { resourceVersion: "<of the list>", continue: "<continue>" } },
    [{ type: "BOOKMARK", object: { kind: "ConfigMap", metadata: { resourceVersion: "<of the list>" } } }],
  ]);
});

test("times of the run go, times of long ago stay as they were sent", () => {
  expect(normalised({ made: "2026-05-05T00:00:09Z", sent: "2020-01-02T03:04:05.123456Z" })).toEqual([
    { made: "<time>", sent: "2020-01-02T03:04:05.123456Z" },
  ]);
});

test("a drawn name is known wherever it stands, and a name that was given stays", () => {
  const made = { metadata: { generateName: "gen-", name: "gen-x2x4z" } };
  const given = { metadata: { generateName: "gen-", name: "both" } };
  expect(normalised(made, given, { message: 'configmaps "gen-x2x4z" not found' })).toEqual([
    { metadata: { generateName: "gen-", name: "gen-<drawn 1>" } },
    given,
    { message: 'configmaps "gen-<drawn 1>" not found' },
  ]);
});

test("ages, addresses, drawn ports and names of the run go; client numbers stay", () => {
  const body = {
    rows: [{ cells: ["a-r0a1b2c3d", "3m12s", 5] }],
    spec: { clusterIP: "10.0.0.7", ports: [{ port: 80, nodePort: 31234 }], podIP: "10.1.2.3" },
  };
  expect(normalised(body)).toEqual([
    {
      rows: [{ cells: ["a-run", "<age>", 5] }],
      spec: { clusterIP: "<address 1>", ports: [{ port: 80, nodePort: "<drawn port>" }], podIP: "10.1.2.3" },
    },
  ]);
});

test("that fields are managed is told, not how", () => {
  expect(normalised({ metadata: { managedFields: [{ manager: "x" }] } }, { metadata: {} })).toEqual([
    { metadata: { managedFields: "<managed fields>" } },
    { metadata: {} },
  ]);
});

test("the hash of a storage version stays unless the group is of the run", () => {
  const entry = { storageVersionHash: "abc=" };
  expect(normalised({ groupVersion: "v1", resources: [entry] })).toEqual([{ groupVersion: "v1", resources: [entry] }]);
  expect(normalised({ groupVersion: "r0a1b2c3d.example.com/v1", resources: [entry] })).toEqual([
    { groupVersion: "run.example.com/v1", resources: [{ storageVersionHash: "<hash>" }] },
  ]);
});
