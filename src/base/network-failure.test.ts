// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { networkFailureOf } from "./network-failure.ts";

const failed = (code: string): Error => Object.assign(new Error("low level text"), { code });

test.each([
  ["ECONNREFUSED", "tcp"],
  ["EAI_AGAIN", "dns"],
  ["ETIMEDOUT", "timeout"],
  ["ERR_HTTP2_STREAM_ERROR", "stream"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "untrusted"],
  ["CERT_NOT_YET_VALID", "notYetValid"],
  ["CERT_CHAIN_TOO_LONG", "tls"],
  ["ERR_OSSL_PEM_BAD_END_LINE", "material"],
  ["HPE_INVALID_CONSTANT", "http"],
  ["ERR_SOMETHING_NEW", "unknown"],
  ["constructor", "unknown"],
])("[KU4] [RP37] the code %s is a failure of kind %s", (code, kind) => {
  expect(networkFailureOf(failed(code))).toMatchObject({ kind, code });
});

test("the code is found behind other errors, and of several addresses the last counts", () => {
  const attempts = new AggregateError([failed("ENETUNREACH"), failed("ECONNREFUSED")]);
  expect(networkFailureOf(new Error("outer", { cause: attempts }))).toMatchObject({ code: "ECONNREFUSED" });
});

test("an error without a code, or a chain of causes without an end, is no failure of the network", () => {
  const loop = new Error("loop");
  loop.cause = loop;
  for (const reason of [new Error("plain"), loop, "text", undefined]) expect(networkFailureOf(reason)).toBeUndefined();
});
