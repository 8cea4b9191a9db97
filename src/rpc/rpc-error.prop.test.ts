// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import { type ErrorCode, errorCodes } from "../base/error-codes.ts";
import { connectCodeName, fromConnectError, toConnectError } from "./rpc-error.ts";

const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => code in errorCodes);

/** The error as it looks after the wire: details are bytes, metadata and cause are gone. */
function overTheWire(error: ConnectError): ConnectError {
  const received = new ConnectError(error.rawMessage, error.code);
  for (const detail of error.details) {
    if (!("desc" in detail)) continue;
    received.details.push({
      type: detail.desc.typeName,
      value: toBinary(detail.desc, create(detail.desc, detail.value)),
    });
  }
  return received;
}

test("[RP34] every code, message and id comes back from the wire as it went, and the cause stays", () => {
  const ids = fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.integer()));
  fc.assert(
    fc.property(
      fc.constantFrom(...codes.filter((code) => code !== "INTERNAL")),
      fc.string(),
      ids,
      (code, message, given) => {
        const sent = new FlotillaError(code, message, { ids: given, cause: new Error("hunter2") });
        const wire = overTheWire(toConnectError(sent, "req"));
        expect(connectCodeName(wire.code)).toBe(errorCodes[code].connect);
        const back = fromConnectError(wire);
        expect({ code: back.code, message: back.message, ids: back.ids }).toEqual({ code, message, ids: { ...given } });
        expect(JSON.stringify(wire)).not.toContain("hunter2");
      },
    ),
  );
});

test("[RP35] whatever is no FlotillaError becomes INTERNAL and shows nothing of itself", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string().map((text) => new Error(`secret ${text}`)),
        fc.anything(),
      ),
      (thrown) => {
        const error = toConnectError(thrown, "req_1");
        expect(error.code).toBe(Code.Internal);
        expect(error.rawMessage).toBe("unexpected internal error; search the hub's log for request req_1");
        expect(fromConnectError(overTheWire(error))).toMatchObject({ code: "INTERNAL", ids: { requestId: "req_1" } });
      },
    ),
  );
});

test("[RP36] an error without our detail gets the nearest code, and hostile details change nothing", () => {
  expect(fromConnectError(new ConnectError("", Code.Unauthenticated)).code).toBe("UNAUTHENTICATED");
  expect(fromConnectError(new ConnectError("too big", Code.ResourceExhausted)).code).toBe("TOO_LARGE");
  expect(fromConnectError(new ConnectError("proxy", Code.Unavailable))).toMatchObject({
    code: "UNAVAILABLE",
    message: "proxy",
  });
  for (const code of Object.values(Code).filter((value): value is Code => typeof value === "number")) {
    const odd = new ConnectError("x", code);
    odd.details.push({ type: StructSchema.typeName, value: Uint8Array.of(255, 255) });
    odd.details.push({
      desc: StructSchema,
      value: { fields: { code: { kind: { case: "stringValue", value: "toString" } } } },
    });
    expect(codes).toContain(fromConnectError(odd).code);
  }
});

test("[RP27] only a refusal for lack of a credential carries the challenge", () => {
  const challengeOf = (code: ErrorCode): string | null =>
    toConnectError(new FlotillaError(code, "x"), "req").metadata.get("www-authenticate");
  expect(challengeOf("UNAUTHENTICATED")).toBe('Bearer realm="flotilla"');
  expect(challengeOf("PERMISSION_DENIED")).toBeNull();
});
