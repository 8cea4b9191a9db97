// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fakeCall, fakeToken } from "./testing/fake-hub.ts";
import { listTokens } from "./token-list.ts";

test("every page is read and shown as one table", async () => {
  const { call, stdout } = fakeCall({
    listTokens: ({ pageToken }) =>
      pageToken === ""
        ? { tokens: [fakeToken()], nextPageToken: "p2" }
        : { tokens: [fakeToken({ id: "tok_22", groups: [], description: "" })], cursor: "c" },
  });
  await listTokens(call);
  expect(stdout()).toBe(
    [
      "ID      USER  GROUPS   CREATED  EXPIRES  DESCRIPTION",
      "tok_1   ann   dev,ops  5m ago   never    for the pipeline",
      "tok_22  ann   -        5m ago   never",
      "",
    ].join("\n"),
  );
});

test.each(["json", "yaml"] as const)("as %s it is one document with every field, empty ones too", async (format) => {
  const { call, stdout } = fakeCall(
    { listTokens: () => ({ tokens: [fakeToken({ groups: [], description: "" })], cursor: "c9" }) },
    format,
  );
  await listTokens(call);
  const createdAt = "2026-01-31T11:55:00Z";
  const token = { id: "tok_1", user: "ann", groups: [], description: "", createdAt, revision: "12" };
  expect(format === "json" ? JSON.parse(stdout()) : parse(stdout())).toEqual({ tokens: [token], cursor: "c9" });
});

test("no tokens are no table", async () => {
  const { call, stdout } = fakeCall({ listTokens: () => ({}) });
  await listTokens(call);
  expect(stdout()).toBe("no tokens\n");
});

test("a hub that gives one page for ever is not followed for ever", async () => {
  const { call } = fakeCall({ listTokens: () => ({ nextPageToken: "again" }) });
  await expect(listTokens(call)).rejects.toMatchObject({ code: "MALFORMED" });
});
