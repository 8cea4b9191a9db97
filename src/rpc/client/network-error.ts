// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { networkFailureOf } from "../../base/network-failure.ts";

/**
 * The error for a call that got no answer from `url`, chosen by the system's code in the chain of causes; undefined if
 * there is no known code. Its id `network` holds that code. `isCaGiven` is false if the system's CAs are trusted.
 */
export function fromNetworkError(reason: unknown, url: string, isCaGiven = true): FlotillaError | undefined {
  const failure = networkFailureOf(reason);
  if (failure === undefined) return undefined;
  const { kind, code, why } = failure;
  const ids = { url, network: code };
  const badCertificate = (sentence: string): FlotillaError =>
    new FlotillaError("CERTIFICATE_INVALID", `the certificate of ${url} ${sentence}`, { cause: reason, ids });
  const unavailable = (sentence: string): FlotillaError =>
    new FlotillaError("UNAVAILABLE", sentence, { cause: reason, ids });
  switch (kind) {
    case "untrusted":
      return badCertificate(
        isCaGiven
          ? "is not signed by the CA given; check the CA file"
          : "is not signed by a CA that this machine trusts, and no CA was given; give the hub's CA file",
      );
    case "otherName":
      return badCertificate("is for another name; use a name that it contains");
    case "expired":
    case "notYetValid":
      return badCertificate("is not valid now; check both machines' clocks, then renew it");
    case "notTls":
      return unavailable(`${url} does not speak TLS with HTTP/2; check scheme and port`);
    case "dns":
    case "timeout":
    case "tcp":
      return unavailable(`the hub at ${url} cannot be reached: ${why}`);
    // Connect classifies the end of a stream. The other faults do not tell whether the hub can be reached.
    case "stream":
    case "clientCertificate":
    case "tls":
    case "material":
    case "http":
    case "unknown":
      return undefined;
  }
}
