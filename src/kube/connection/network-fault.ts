// SPDX-License-Identifier: Apache-2.0
// Maps codes of the system, OpenSSL and Node to the faults of KU4. Nothing else inspects those codes.
import { KubeError, type KubeFault } from "../kube-error.ts";

/** Longer chains of causes do not occur. */
const maxCauseDepth = 16;

const dnsCodes: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "ENODATA",
  "ESERVFAIL",
  "EREFUSED",
  "EFORMERR",
  "EBADRESP",
]);

const tcpSentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to its network",
  EHOSTDOWN: "the machine is down",
  ECONNRESET: "the connection was reset",
  ECONNABORTED: "the connection was aborted",
  EPIPE: "the connection was closed",
  EADDRNOTAVAIL: "this machine has no usable source address",
  ERR_STREAM_PREMATURE_CLOSE: "the connection was closed",
  ERR_HTTP2_STREAM_ERROR: "the server reset the request",
  ERR_HTTP2_STREAM_CANCEL: "the connection was closed",
  ERR_HTTP2_SESSION_ERROR: "the server ended the HTTP/2 session",
  ERR_HTTP2_GOAWAY_SESSION: "the server ended the HTTP/2 session",
  ERR_HTTP2_INVALID_SESSION: "the connection was closed",
};

const tlsSentences: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired; renew it, or check this machine's clock",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; check both machines' clocks",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name; use a name that it holds, or tls-server-name",
  HOSTNAME_MISMATCH: "its certificate is for another name; use a name that it holds, or tls-server-name",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; check scheme and port",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS; check scheme and port",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "it asks for a client certificate",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "it does not trust our client certificate",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "it refuses our client certificate",
  ERR_SSL_SSL_ALERT_BAD_CERTIFICATE: "it refuses our client certificate",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "it refuses our client certificate as expired",
};

/** OpenSSL's codes for a chain that does not end at a trusted CA. */
const untrustedChainCodes: ReadonlySet<string> = new Set([
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
]);

/** The fault, and a clause with the cause. */
export interface NetworkFault {
  readonly fault: KubeFault;
  readonly why: string;
}

/** The fault of a failure that Node reported while dialling or during TLS or HTTP. `tcp` for an unknown code. */
export function networkFaultOf(reason: unknown): NetworkFault {
  const code = codeOf(reason) ?? "";
  if (dnsCodes.has(code) || code.startsWith("EAI_")) {
    return { fault: "dns", why: "its name is not known to DNS, or DNS does not answer" };
  }
  if (code === "ETIMEDOUT") return { fault: "timeout", why: "the network did not answer in time" };
  const tcp = Object.hasOwn(tcpSentences, code) ? tcpSentences[code] : undefined;
  if (tcp !== undefined) return { fault: "tcp", why: tcp };
  if (untrustedChainCodes.has(code)) {
    return {
      fault: "tls",
      why: "its certificate is not signed by the CA that the cluster is known by; check certificate-authority",
    };
  }
  const tls = Object.hasOwn(tlsSentences, code) ? tlsSentences[code] : undefined;
  if (tls !== undefined) return { fault: "tls", why: tls };
  if (/^ERR_(?:OSSL|CRYPTO)_/.test(code)) {
    return { fault: "tls", why: `a certificate or key that we were given cannot be used (${code})` };
  }
  if (/^(?:CERT_|CRL_|ERR_TLS_|ERR_SSL_)/.test(code) || code === "EPROTO") {
    return { fault: "tls", why: `TLS failed (${code})` };
  }
  if (/^(?:HPE_|ERR_HTTP2_|ERR_HTTP_|Z_)/.test(code)) {
    return { fault: "malformed", why: `it does not speak HTTP as expected (${code})` };
  }
  return { fault: "tcp", why: code === "" ? "the connection failed" : `the connection failed (${code})` };
}

/** `reason` itself if it is a KubeError, else a KubeError with `what` and the cause. */
export function toNetworkError(reason: unknown, what: string): KubeError {
  if (reason instanceof KubeError) return reason;
  const { fault, why } = networkFaultOf(reason);
  return new KubeError(fault, `${what}: ${why}`, { cause: reason });
}

/** The first code in the chain of causes. Of several attempts at several addresses, that of the last. */
function codeOf(reason: unknown): string | undefined {
  let link = reason;
  for (let depth = 0; depth < maxCauseDepth && link instanceof Error; depth += 1) {
    if (link instanceof AggregateError && link.errors.length > 0) {
      link = link.errors.at(-1);
      continue;
    }
    if ("code" in link && typeof link.code === "string") return link.code;
    link = link.cause;
  }
  return undefined;
}
