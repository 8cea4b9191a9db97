// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type FakeFleet, fakeCluster, fakeFleetCall } from "../testing/fake-fleet.ts";
import {
  labelCluster,
  parseLabelChanges,
  removeCluster,
  retryCluster,
  rotateKey,
  setPaused,
} from "./cluster-change.ts";
import { createJoinToken, listJoinTokens } from "./cluster-join.ts";
import { listRows } from "./cluster-rows.ts";

test("pausing says so, and changes nothing else", async () => {
  const asked: unknown[] = [];
  const { call, stdout } = fakeFleetCall({
    clusters: {
      updateCluster: ({ id, isPaused, setLabels }) => {
        asked.push([id, isPaused, setLabels]);
        return { cluster: fakeCluster() };
      },
    },
  });
  await setPaused(call, "east", true);
  await setPaused(call, "east", false);
  expect(asked).toEqual([
    ["east", true, {}],
    ["east", false, {}],
  ]);
  expect(stdout()).toBe("east is paused\neast is resumed\n");
});

test("labels are written as kubectl writes them", async () => {
  const asked: unknown[] = [];
  const { call } = fakeFleetCall({
    clusters: {
      updateCluster: ({ setLabels, removeLabels, isPaused }) => {
        asked.push([setLabels, removeLabels, isPaused]);
        return { cluster: fakeCluster() };
      },
    },
  });
  await labelCluster(call, "east", ["tier=gold", "note=a=b", "old-"]);
  expect(asked).toEqual([[{ tier: "gold", note: "a=b" }, ["old"], undefined]]);
});

test.each([
  [["=x"], '"=x" is not a label change; write key=value, or key- to remove it'],
  [["tier"], '"tier" is not a label change; write key=value, or key- to remove it'],
  [["-"], '"-" is not a label change; write key=value, or key- to remove it'],
  [["a=1", "a-"], 'label "a" cannot be set and removed at once'],
])("the label changes %j are refused", (changes, sentence) => {
  expect(() => parseLabelChanges(changes)).toThrow(sentence);
});

test("what goes to standard output of rotate and join is the secret alone", async () => {
  const rotated = fakeFleetCall({ clusters: { rotateKey: () => ({ joinToken: "secret-1" }) } });
  await rotateKey(rotated.call, "east", false);
  expect(rotated.stdout()).toBe("secret-1\n");
  expect(rotated.stderr()).toContain("--revoke revokes it at once");
  const joined = fakeFleetCall({
    joins: {
      createJoinToken: ({ namePattern, uses, ttlSeconds }) => ({
        token: { id: "join_1", namePattern, usesLeft: uses, expiresAt: { seconds: BigInt(ttlSeconds), nanos: 0 } },
        secret: "secret-2",
      }),
    },
  });
  await createJoinToken(joined.call, "prod-*", { description: "", uses: 2, joinTtlMs: 1_500, needsApproval: false });
  expect(joined.stdout()).toBe("secret-2\n");
  expect(joined.stderr()).toContain("join token join_1 for 2 clusters named prod-*");
});

test("[SE45] retrying says what came of it, in the hub's own sentence or as JSON", async () => {
  const clusters = {
    retryCluster: ({ id }: { readonly id: string }) =>
      id === "east"
        ? { wasAsked: true, sentence: "The agent of east was asked to try its API server now." }
        : { wasAsked: false, sentence: "The agent of west is not connected.\u001b[2J" },
  };
  const asked = fakeFleetCall({ clusters });
  await retryCluster(asked.call, "east");
  expect(asked.stdout()).toBe("The agent of east was asked to try its API server now.\n");
  const away = fakeFleetCall({ clusters });
  await retryCluster(away.call, "west");
  expect(away.stdout()).not.toContain("\u001b");
  const json = fakeFleetCall({ clusters }, "json");
  await retryCluster(json.call, "east");
  expect(JSON.parse(json.stdout())).toEqual({
    id: "east",
    wasAsked: true,
    sentence: "The agent of east was asked to try its API server now.",
  });
});

test("[IN21] removing says what is gone, and what stays in the cluster", async () => {
  const { call, stdout, stderr } = fakeFleetCall({
    clusters: { getCluster: () => ({ cluster: fakeCluster() }), removeCluster: () => ({}) },
  });
  await removeCluster(call, "east", true);
  expect(stdout()).toBe("east is removed\n");
  expect(stderr()).toContain(
    "remain; delete them with: kubectl delete namespace/flotilla clusterrole/flotilla-agent clusterrolebinding/flotilla-agent clusterrole/flotilla-agent-kinds clusterrolebinding/flotilla-agent-kinds --ignore-not-found\n",
  );
});

test("[CL1] removing asks first, says what is deleted and what is kept, and changes nothing unless the answer is yes", async () => {
  const removed: string[] = [];
  const { call, stdout } = fakeFleetCall({
    clusters: {
      getCluster: () => ({ cluster: fakeCluster() }),
      removeCluster: ({ id }) => {
        removed.push(id);
        return {};
      },
    },
  });
  await expect(removeCluster(call, "east", false)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/Not run from a terminal: add --yes to confirm$/),
  });
  const questions: string[] = [];
  const answering = (answer: string) => ({
    ...call,
    io: { ...call.io, ask: (question: string) => Promise.resolve((questions.push(question), answer)) },
  });
  await expect(removeCluster(answering("n"), "east", false)).rejects.toThrow("nothing was changed");
  expect(removed).toEqual([]);
  expect(stdout()).toBe("");
  expect(questions[0]).toContain("deletes its registration, its keys, its 1200 rows and their past states");
  expect(questions[0]).toContain("audit records (flotilla audit east) and the history of its connection");
  await removeCluster(answering("y"), "east", false);
  expect(removed).toEqual(["east"]);
});

test("join tokens are a table without secrets", async () => {
  const { call, stdout } = fakeFleetCall({
    joins: {
      listJoinTokens: () => ({ tokens: [{ id: "join_1", namePattern: "*", usesLeft: 1, needsApproval: true }] }),
    },
  });
  await listJoinTokens(call);
  expect(stdout()).toBe(
    "ID      CLUSTERS  USES  APPROVAL  EXPIRES  DESCRIPTION\njoin_1  *         1     yes       never\n",
  );
});

test("[CL11][CL13] rows are one JSON object a line or one YAML document each, with the plain values of their columns", async () => {
  const fleet: FakeFleet = {
    rows: {
      async *listRows() {
        yield {
          rows: [
            {
              resource: "pods",
              kind: "Pod",
              namespace: "shop",
              name: "web",
              status: "healthy",
              generation: 3n,
              labels: { app: "web" },
              columns: {
                phase: { value: { case: "text", value: "Running" } },
                restarts: { value: { case: "number", value: 0 } },
                ready: { value: { case: "truth", value: false } },
                ips: { value: { case: "texts", value: { values: ["10.0.0.1"] } } },
                containers: { value: { case: "texts", value: { values: ['{"name":"web","restarts":2}', "cut {"] } } },
              },
            },
          ],
        };
        yield { rows: [{ resource: "nodes", name: "n1" }] };
      },
    },
  };
  const { call, stdout } = fakeFleetCall(fleet);
  await listRows(call, "east", []);
  const lines = stdout()
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({
    cluster: "east",
    resource: "pods",
    name: "web",
    generation: 3,
    owner: null,
    columns: { phase: "Running", restarts: 0, ready: false, ips: ["10.0.0.1"] },
  });
  expect(lines[0]).toMatchObject({ columns: { containers: [{ name: "web", restarts: 2 }, "cut {"] } });
  const yaml = fakeFleetCall(fleet, "yaml");
  await listRows(yaml.call, "east", []);
  expect(
    yaml
      .stdout()
      .split("---\n")
      .slice(1)
      .map((text): unknown => parse(text)),
  ).toEqual(lines);
});
