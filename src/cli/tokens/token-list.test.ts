// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fakeCall, fakeToken } from "../testing/fake-hub.ts";
import { testNowMs } from "../testing/recorded-io.ts";
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
      "ID      USER  GROUPS   CREATED  EXPIRES  LAST USED  DESCRIPTION",
      "tok_1   ann   dev,ops  5m ago   never    -          for the pipeline",
      "tok_22  ann   -        5m ago   never    -",
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
  const token = { id: "tok_1", user: "ann", groups: [], description: "", createdAt, revision: "12", parentId: "" };
  expect(format === "json" ? JSON.parse(stdout()) : parse(stdout())).toEqual({
    tokens: [token],
    logins: [],
    cursor: "c9",
  });
});

test("[CL19] logins of the page stand apart from tokens, and both show when they were last used", async () => {
  const login = fakeToken({ id: "tok_9", parentId: "tok_1", description: "login of the page with tok_1" });
  const used = fakeToken({ lastUsedAt: timestampFromMs(testNowMs - 60_000) });
  const hub: Parameters<typeof fakeCall>[0] = { listTokens: () => ({ tokens: [login, used], cursor: "c" }) };
  const { call, stdout } = fakeCall(hub);
  await listTokens(call);
  expect(stdout()).toBe(
    [
      "ID     USER  GROUPS   CREATED  EXPIRES  LAST USED  DESCRIPTION",
      "tok_1  ann   dev,ops  5m ago   never    60s ago    for the pipeline",
      "",
      "Logins of the page:",
      "ID     USER  GROUPS   CREATED  EXPIRES  LAST USED  DESCRIPTION",
      "tok_9  ann   dev,ops  5m ago   never    -          login of the page with tok_1",
      "",
    ].join("\n"),
  );
  const json = fakeCall(hub, "json");
  await listTokens(json.call);
  expect(JSON.parse(json.stdout())).toMatchObject({
    tokens: [{ id: "tok_1", lastUsedAt: "2026-01-31T11:59:00Z" }],
    logins: [{ id: "tok_9", parentId: "tok_1" }],
  });
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
