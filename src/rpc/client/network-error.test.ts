// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { fromNetworkError } from "./network-error.ts";

const url = "https://hub.example:7443";
const failed = (code: string): Error => Object.assign(new Error("low level text"), { code });

test.each([
  ["ECONNREFUSED", "UNAVAILABLE", `the hub at ${url} cannot be reached: nothing listens there`],
  [
    "ENOTFOUND",
    "UNAVAILABLE",
    `the hub at ${url} cannot be reached: its name is not known to DNS, or DNS does not answer`,
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "CERTIFICATE_INVALID",
    `the certificate of ${url} is not signed by the CA given; check the CA file`,
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "CERTIFICATE_INVALID",
    `the certificate of ${url} is for another name; use a name that it contains`,
  ],
  [
    "CERT_HAS_EXPIRED",
    "CERTIFICATE_INVALID",
    `the certificate of ${url} is not valid now; check both machines' clocks, then renew it`,
  ],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "UNAVAILABLE", `${url} does not speak TLS with HTTP/2; check scheme and port`],
])("[RP37] %s is %s with a sentence that names the address", (code, kind, message) => {
  expect(fromNetworkError(new Error("outer", { cause: failed(code) }), url)).toMatchObject({ code: kind, message });
});

test("[RP37] a certificate that the system does not trust, where no CA was given, asks for one", () => {
  const error = fromNetworkError(failed("SELF_SIGNED_CERT_IN_CHAIN"), url, false);
  expect(error?.message).toMatch(/and no CA was given; give the hub's CA file$/);
  expect(error?.ids).toEqual({ url, network: "SELF_SIGNED_CERT_IN_CHAIN" });
});

test("[RP37] what has no code of the system, or an unknown one, is left to others", () => {
  expect(fromNetworkError(new Error("plain"), url)).toBeUndefined();
  expect(fromNetworkError(failed("ERR_SOMETHING_NEW"), url)).toBeUndefined();
  expect(fromNetworkError("text", url)).toBeUndefined();
  const loop = new Error("loop");
  loop.cause = loop;
  expect(fromNetworkError(loop, url)).toBeUndefined();
});
