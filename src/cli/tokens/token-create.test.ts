// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import type { CreateTokenRequest } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { fakeCall, fakeToken } from "../testing/fake-hub.ts";
import { testNowMs } from "../testing/recorded-io.ts";
import { createToken } from "./token-create.ts";

const wanted = { user: "ann", groups: ["dev", "ops"], description: "for the pipeline", ttlMs: 1_500 };
const made = fakeToken({ expiresAt: timestampFromMs(testNowMs + 2 * 86_400_000) });

test("as text, standard output is the secret alone, for scripts, and the rest is said beside it", async () => {
  const { call, stdout, stderr } = fakeCall({ createToken: () => ({ token: made, secret: "flt_abc" }) });
  await createToken(call, wanted);
  expect(stdout()).toBe("flt_abc\n");
  expect(stderr()).toBe("flotilla: token tok_1 for ann, groups dev,ops, expires in 2d; it is shown only this once\n");
});

test("as JSON, token and secret are one document, with exact times", async () => {
  const { call, stdout, stderr } = fakeCall({ createToken: () => ({ token: made, secret: "flt_abc" }) }, "json");
  await createToken(call, wanted);
  expect(JSON.parse(stdout())).toEqual({
    token: {
      id: "tok_1",
      user: "ann",
      groups: ["dev", "ops"],
      description: "for the pipeline",
      createdAt: "2026-01-31T11:55:00Z",
      expiresAt: "2026-02-02T12:00:00Z",
      revision: "12",
      parentId: "",
    },
    secret: "flt_abc",
  });
  expect(stderr()).toBe("");
});

test.each([
  [0, 0],
  [1, 1],
  [1_500, 2],
  [60_000, 60],
])("a time to live of %d ms asks for %d s, so only 0 means for ever", async (ttlMs, ttlSeconds) => {
  const asked: CreateTokenRequest[] = [];
  const { call } = fakeCall({
    createToken: (request) => {
      asked.push(request);
      return { token: made, secret: "flt_abc" };
    },
  });
  await createToken(call, { ...wanted, ttlMs });
  expect(asked).toMatchObject([{ user: "ann", groups: ["dev", "ops"], description: "for the pipeline", ttlSeconds }]);
});
