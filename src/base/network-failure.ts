// SPDX-License-Identifier: Apache-2.0
// What the codes of the system, of OpenSSL and of Node's HTTP say of a connection that failed. One table for all who
// dial; nothing else looks at these codes.

/** Deeper chains of causes than this do not occur. */
const deepestCause = 16;

/**
 * What failed. `stream`: one request of a connection that may be in order. `untrusted`, `otherName`, `expired`,
 * `notYetValid`: the peer's certificate. `clientCertificate`: the peer does not take ours. `notTls`: the peer speaks
 * something else. `tls`: any other failure of TLS. `material`: a certificate or key of ours cannot be used. `http`: no
 * HTTP as expected. `unknown`: a code that is not in the table.
 */
export type NetworkFailureKind =
  | "dns"
  | "timeout"
  | "tcp"
  | "stream"
  | "untrusted"
  | "otherName"
  | "expired"
  | "notYetValid"
  | "clientCertificate"
  | "notTls"
  | "tls"
  | "material"
  | "http"
  | "unknown";

/** A failure of the network by its code. */
export interface NetworkFailure {
  readonly kind: NetworkFailureKind;
  readonly code: string;
  /** The end of a sentence about the peer. */
  readonly why: string;
}

type Entry = readonly [kind: NetworkFailureKind, why: string, codes: readonly string[]];

const noName = "its name is not known to DNS, or DNS does not answer";
const noTls = "it does not speak TLS; check scheme and port";
const refusedCertificate = "it refuses our client certificate";

const entries: readonly Entry[] = [
  ["dns", noName, ["ENOTFOUND", "ENODATA", "ESERVFAIL", "EREFUSED", "EFORMERR", "EBADRESP"]],
  ["timeout", "the network gave no answer in time", ["ETIMEDOUT"]],
  ["tcp", "nothing listens there", ["ECONNREFUSED"]],
  ["tcp", "there is no route to it", ["EHOSTUNREACH"]],
  ["tcp", "there is no route to its network", ["ENETUNREACH"]],
  ["tcp", "the machine is down", ["EHOSTDOWN"]],
  ["tcp", "the connection was reset", ["ECONNRESET"]],
  ["tcp", "the connection was aborted", ["ECONNABORTED"]],
  ["tcp", "this machine has no address to call from", ["EADDRNOTAVAIL"]],
  ["tcp", "the connection was closed", ["EPIPE", "ERR_HTTP2_STREAM_CANCEL", "ERR_HTTP2_INVALID_SESSION"]],
  ["tcp", "the server gave the connection up", ["ERR_HTTP2_SESSION_ERROR", "ERR_HTTP2_GOAWAY_SESSION"]],
  ["stream", "the connection was closed", ["ERR_STREAM_PREMATURE_CLOSE"]],
  ["stream", "the server reset the request", ["ERR_HTTP2_STREAM_ERROR"]],
  [
    "untrusted",
    "its certificate is not signed by a CA that is trusted",
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "CERT_SIGNATURE_FAILURE",
      "CERT_UNTRUSTED",
      "CERT_REJECTED",
      "INVALID_CA",
      "INVALID_PURPOSE",
      "PATH_LENGTH_EXCEEDED",
    ],
  ],
  ["otherName", "its certificate is for another name", ["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH"]],
  ["expired", "its certificate has expired; renew it, or check this machine's clock", ["CERT_HAS_EXPIRED"]],
  ["notYetValid", "its certificate is not valid yet; check both machines' clocks", ["CERT_NOT_YET_VALID"]],
  ["clientCertificate", "it asks for a client certificate", ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"]],
  ["clientCertificate", "it does not trust our client certificate", ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"]],
  [
    "clientCertificate",
    refusedCertificate,
    ["ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE", "ERR_SSL_SSL_ALERT_BAD_CERTIFICATE"],
  ],
  ["clientCertificate", "it says that our client certificate has expired", ["ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED"]],
  ["notTls", noTls, ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"]],
  ["notTls", "it does not speak TLS as expected", ["EPROTO", "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL"]],
];

const byCode: ReadonlyMap<string, readonly [NetworkFailureKind, string]> = new Map(
  entries.flatMap(([kind, why, codes]) => codes.map((code) => [code, [kind, why]] as const)),
);

/** Families of codes that the table does not name one by one; the first that fits. */
const families: readonly (readonly [RegExp, NetworkFailureKind, string])[] = [
  [/^EAI_/, "dns", noName],
  [/^ERR_(?:OSSL|CRYPTO)_/, "material", "a certificate or key that we were given cannot be used"],
  [/^(?:CERT_|CRL_|ERR_TLS_|ERR_SSL_)/, "tls", "TLS failed"],
  [/^(?:HPE_|ERR_HTTP2_|ERR_HTTP_|Z_)/, "http", "it does not speak HTTP as expected"],
];

/**
 * The failure behind an error that Node met while it dialled, spoke TLS or HTTP; undefined where no cause of it has a
 * code.
 */
export function networkFailureOf(reason: unknown): NetworkFailure | undefined {
  const code = codeOf(reason);
  if (code === undefined) return undefined;
  const known = byCode.get(code);
  if (known !== undefined) return { code, kind: known[0], why: known[1] };
  const family = families.find(([form]) => form.test(code));
  if (family === undefined) return { code, kind: "unknown", why: `the connection failed (${code})` };
  const [, kind, why] = family;
  return { code, kind, why: kind === "dns" ? why : `${why} (${code})` };
}

/** The first code in the chain of causes; of several attempts at several addresses that of the last. */
function codeOf(reason: unknown): string | undefined {
  let link = reason;
  for (let depth = 0; depth < deepestCause && link instanceof Error; depth += 1) {
    if (link instanceof AggregateError && link.errors.length > 0) {
      link = link.errors.at(-1);
      continue;
    }
    if ("code" in link && typeof link.code === "string") return link.code;
    link = link.cause;
  }
  return undefined;
}
