// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { isPeerDisconnectedError } from "./peer-disconnected.ts";

const left = Object.assign(new Error("The stream has been destroyed"), { code: "ERR_HTTP2_INVALID_STREAM" });

test("a write to a stream that is gone is known by its code, however it is wrapped", () => {
  expect(isPeerDisconnectedError(left)).toBe(true);
  expect(isPeerDisconnectedError(new FlotillaError("INTERNAL", "unexpected internal error", { cause: left }))).toBe(
    true,
  );
  expect(isPeerDisconnectedError(new ConnectError("x", Code.Internal, undefined, undefined, left))).toBe(true);
});

test("any other failure, and a ring of causes, is not", () => {
  const ring = new Error("a");
  ring.cause = ring;
  for (const reason of [
    undefined,
    "ERR_HTTP2_INVALID_STREAM",
    new Error("ERR_HTTP2_INVALID_STREAM"),
    ring,
    { code: left.code },
  ])
    expect(isPeerDisconnectedError(reason)).toBe(false);
});
