// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";

/** Bound of the loop over causes; real chains are shorter. */
const deepestCause = 16;

/** OpenSSL's error codes for a certificate that does not chain to a trusted CA. */
const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "INVALID_CA",
]);

/** Error codes for a peer that does not speak TLS or HTTP/2. */
const notTls: ReadonlySet<string> = new Set([
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
]);

const because: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name could not be resolved",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no route to its network",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  ERR_HTTP2_GOAWAY_SESSION: "it closed the connection",
  ERR_HTTP2_INVALID_SESSION: "it closed the connection",
  ERR_HTTP2_SESSION_ERROR: "it closed the connection",
  ERR_HTTP2_STREAM_CANCEL: "it closed the connection",
};

/**
 * The error for a call that got no answer from `url`, chosen by the system's code in the chain of causes; undefined if
 * there is no known code. Its id `network` holds that code. `isCaGiven` is false if the system's CAs are trusted.
 */
export function fromNetworkError(reason: unknown, url: string, isCaGiven = true): FlotillaError | undefined {
  const code = systemCodeOf(reason);
  if (code === undefined) return undefined;
  const fail = (kind: "UNAVAILABLE" | "CERTIFICATE_INVALID", sentence: string): FlotillaError =>
    new FlotillaError(kind, sentence, { cause: reason, ids: { url, network: code } });
  if (untrusted.has(code)) {
    const why = isCaGiven
      ? "is not signed by the CA given; check the CA file"
      : "is not signed by a CA that this machine trusts, and no CA was given; give the hub's CA file";
    return fail("CERTIFICATE_INVALID", `the certificate of ${url} ${why}`);
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return fail("CERTIFICATE_INVALID", `the certificate of ${url} is for another name; use a name that it holds`);
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return fail(
      "CERTIFICATE_INVALID",
      `the certificate of ${url} is not valid now; check both machines' clocks, then renew it`,
    );
  }
  if (notTls.has(code)) return fail("UNAVAILABLE", `${url} does not speak TLS with HTTP/2; check scheme and port`);
  const known = because[code];
  return known === undefined ? undefined : fail("UNAVAILABLE", `the hub at ${url} cannot be reached: ${known}`);
}

function systemCodeOf(reason: unknown): string | undefined {
  let link = reason;
  for (let depth = 0; depth < deepestCause && link instanceof Error; depth += 1) {
    if ("code" in link && typeof link.code === "string") return link.code;
    link = link.cause;
  }
  return undefined;
}
