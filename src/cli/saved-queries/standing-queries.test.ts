// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { deleteStandingQuery, pauseStandingQuery, resumeStandingQuery } from "./change-standing-query.ts";
import { createStandingQuery, type StandingQueryWanted, updateStandingQuery } from "./create-standing-query.ts";
import { getStandingQuery, listStandingQueries } from "./list-standing-queries.ts";
import { fakeSavedCall, fakeStandingQuery } from "./testing/fake-saved-queries.ts";

const wanted: StandingQueryWanted = {
  name: "broken",
  query: "status=unhealthy",
  description: "",
  on: "enter",
  above: undefined,
  clearAt: undefined,
  forMs: 0,
  receiver: "https://hooks.example.com/x",
  secret: undefined,
  intervalMs: 90_000,
};

test("[SQ7] a secret that the hub created is alone on standard output, for scripts", async () => {
  const { call, stdout, stderr } = fakeSavedCall({
    createStandingQuery: ({ webhookUrl, secret, intervalSeconds, condition }) => {
      expect([webhookUrl, secret, intervalSeconds, condition?.on]).toEqual([wanted.receiver, "", 90, "enter"]);
      return { standingQuery: fakeStandingQuery(), secret: "s3cret" };
    },
  });
  await createStandingQuery(call, wanted);
  expect([stdout(), stderr()]).toEqual([
    "s3cret\n",
    "flotilla: standing query broken on enter; its signing secret is shown only this once\n",
  ]);
});

test("[SQ7] a given secret is sent and not printed", async () => {
  const { call, stdout, stderr } = fakeSavedCall({
    createStandingQuery: ({ secret }) => {
      expect(secret).toBe("0123456789abcdef");
      return { standingQuery: fakeStandingQuery() };
    },
  });
  await createStandingQuery(call, { ...wanted, secret: "0123456789abcdef" });
  expect(`${stdout()}${stderr()}`).not.toMatch(/0123456789abcdef|once/);
});

test("[SQ12] a threshold is sent with its bounds, and other conditions refuse them", async () => {
  const { call } = fakeSavedCall({
    createStandingQuery: ({ condition }) => {
      expect(condition?.threshold).toMatchObject({ above: 10n, clearAt: 5n, forSeconds: 300 });
      return { standingQuery: fakeStandingQuery() };
    },
  });
  const threshold = { ...wanted, on: "threshold", above: 10, clearAt: 5, forMs: 300_000 } as const;
  await createStandingQuery(call, threshold);
  await expect(createStandingQuery(call, { ...threshold, on: "leave" })).rejects.toThrow("only with --on threshold");
  await expect(createStandingQuery(call, { ...wanted, forMs: 1 })).rejects.toThrow("only with --on threshold");
  await expect(createStandingQuery(call, { ...wanted, on: "threshold" })).rejects.toThrow("needs --above");
});

test("a list shows phase, condition, total and last delivery; one query all that is known of it", async () => {
  const dead = fakeStandingQuery({
    name: "dead",
    condition: { on: "threshold", threshold: { above: 10n, clearAt: 5n, forSeconds: 60 } },
    status: {
      phase: "dead",
      reason: "the webhook's receiver answered 500",
      pendingDelivery: "dlv_1",
      failedAttemptCount: 3,
    },
  });
  const listed = fakeSavedCall({
    listStandingQueries: ({ allOwners }) => ({ standingQueries: allOwners ? [fakeStandingQuery(), dead] : [] }),
  });
  await listStandingQueries(listed.call, { allOwners: true });
  expect(listed.stdout()).toBe(
    [
      "NAME    OWNER  PHASE   ON                              TOTAL  DELIVERED  REASON",
      "broken  ann    active  enter                           3      60s ago",
      "dead    ann    dead    total > 10 for 60s, clear at 5  -      -          the webhook's receiver answered 500",
      "",
    ].join("\n"),
  );
  await listStandingQueries(listed.call, { allOwners: false });
  expect(listed.stdout()).toContain("no standing queries\n");
  const one = fakeSavedCall({ getStandingQuery: () => ({ standingQuery: dead }) });
  await getStandingQuery(one.call, { name: "dead", owner: "" });
  expect(one.stdout()).toMatch(/phase +dead\nreason +the webhook's receiver answered 500\n/);
  expect(one.stdout()).toMatch(/pending +dlv_1, 3 failed attempts\n/);
});

test("pausing, resuming and deleting print what was done", async () => {
  const standingQuery = fakeStandingQuery();
  const { call, stdout } = fakeSavedCall({
    pauseStandingQuery: ({ owner }) => {
      expect(owner).toBe("bob");
      return { standingQuery };
    },
    resumeStandingQuery: () => ({ standingQuery }),
    deleteStandingQuery: () => ({}),
  });
  await pauseStandingQuery(call, { name: "broken", owner: "bob" });
  await resumeStandingQuery(call, "broken");
  await deleteStandingQuery(call, { name: "broken", owner: "" });
  expect(stdout()).toBe(
    "standing query broken is paused\nstanding query broken goes on\nstanding query broken is deleted\n",
  );
});

test("[SQ16] an update sends the revision that was read and prints the condition, and never a secret", async () => {
  const { call, stdout, stderr } = fakeSavedCall({
    getStandingQuery: ({ name }) => ({ standingQuery: { ...fakeStandingQuery(), name, revision: 7n } }),
    updateStandingQuery: ({ revision, query, secret, intervalSeconds }) => {
      expect([revision, query, secret, intervalSeconds]).toEqual([7n, "status=unhealthy", "", 90]);
      return { standingQuery: fakeStandingQuery() };
    },
  });
  await updateStandingQuery(call, wanted);
  expect([stdout(), stderr()]).toEqual(["standing query broken on enter\n", ""]);
});
