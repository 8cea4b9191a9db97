// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { fakeFleetCall } from "../testing/fake-fleet.ts";
import { showChanges } from "./changes.ts";

const web = { clusterId: "east", resource: "pods", namespace: "shop", name: "web", what: "added", status: "healthy" };
const node = { clusterId: "east", resource: "nodes", name: "n1", what: "removed" };

test("changes without --follow end with what has happened", async () => {
  const { call, stdout } = fakeFleetCall({
    rows: {
      async *watchChanges() {
        yield { position: "p1", changes: [web, node] };
      },
    },
  });
  await showChanges(call, { clusters: [], kinds: [], position: "", follow: false });
  expect(stdout()).toBe("added  east  pods  shop/web  healthy\nremoved  east  nodes  n1\n");
});

test("[CL2] changes that are followed go on from their position when the hub returns", async () => {
  const asked: string[] = [];
  const { call, stop, stdout } = fakeFleetCall({
    rows: {
      async *watchChanges({ position }) {
        asked.push(position);
        yield asked.length === 1 ? { position: "f.1", changes: [web] } : { position: "f.2", changes: [node] };
        if (asked.length === 2) stop.abort(new Error("SIGINT"));
      },
    },
  });
  await showChanges(call, { clusters: [], kinds: [], position: "", follow: true });
  expect(asked).toEqual(["", "f.1"]);
  expect(stdout()).toBe("added  east  pods  shop/web  healthy\nremoved  east  nodes  n1\n");
});

test.each([
  [
    "a restarted hub",
    "g.3",
    "the hub was restarted: changes between 2026-01-31T12:00:00Z and 2026-01-31T12:00:00Z may be missing; those since its start follow",
  ],
  [
    "a hub that has dropped them",
    "f.9",
    "changes between 2026-01-31T12:00:00Z and 2026-01-31T12:00:00Z were missed, because the hub keeps a limited number; the oldest that it has follow",
  ],
])(
  "[CL2] [CL23] [L1] a position gone at %s: one line says what is known to be missing, and the oldest changes follow",
  async (_which, present, sentence) => {
    const asked: [string, boolean][] = [];
    const { call, stop, stdout, stderr } = fakeFleetCall({
      rows: {
        async *watchChanges({ position, isOnce }) {
          asked.push([position, isOnce]);
          if (asked.length === 1) yield { position: "f.1", changes: [web] };
          else if (position === "f.1") throw new ConnectError("is gone", Code.OutOfRange);
          else if (isOnce) yield { position: present, changes: [node] };
          else stop.abort(new Error("SIGINT"));
        },
      },
    });
    await showChanges(call, { clusters: [], kinds: [], position: "", follow: true });
    expect(asked).toEqual([
      ["", false],
      ["f.1", false],
      ["", true],
      [present, false],
    ]);
    expect(stdout()).toBe("added  east  pods  shop/web  healthy\nremoved  east  nodes  n1\n");
    expect(
      stderr()
        .split("\n")
        .filter((line) => /miss/.test(line)),
    ).toEqual([`flotilla: ${sentence}`]);
  },
);

test("a position given that is gone is a failure", async () => {
  const { call } = fakeFleetCall({
    rows: {
      async *watchChanges({ position }) {
        if (position === "f.0") throw new ConnectError("is older than what is kept", Code.OutOfRange);
        yield { position: "f.1", changes: [web] };
      },
    },
  });
  await expect(showChanges(call, { clusters: [], kinds: [], position: "f.0", follow: true })).rejects.toMatchObject({
    code: "GONE",
  });
});
