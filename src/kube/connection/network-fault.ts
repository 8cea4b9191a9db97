// SPDX-License-Identifier: Apache-2.0
// Maps network failures to the faults of KU4.
import { type NetworkFailure, networkFailureOf } from "../../base/network-failure.ts";
import { KubeError, type KubeFault } from "../kube-error.ts";

/** The fault, and a clause with the cause. */
export interface NetworkFault {
  readonly fault: KubeFault;
  readonly why: string;
}

const faults: Readonly<Record<NetworkFailure["kind"], KubeFault>> = {
  dns: "dns",
  timeout: "timeout",
  tcp: "tcp",
  stream: "tcp",
  untrusted: "tls",
  otherName: "tls",
  expired: "tls",
  notYetValid: "tls",
  clientCertificate: "tls",
  notTls: "tls",
  tls: "tls",
  material: "tls",
  http: "malformed",
  unknown: "tcp",
};

/** The fault of a failure that Node reported while dialling or during TLS or HTTP. `tcp` for an unknown code. */
export function networkFaultOf(reason: unknown): NetworkFault {
  const failure = networkFailureOf(reason);
  if (failure === undefined) return { fault: "tcp", why: "the connection failed" };
  return { fault: faults[failure.kind], why: whyOf(failure) };
}

/** With advice in the words of a kubeconfig. */
function whyOf({ kind, why }: NetworkFailure): string {
  if (kind === "untrusted")
    return "its certificate is not signed by the CA that the cluster is known by; check certificate-authority";
  return kind === "otherName" ? `${why}; use a name that it holds, or tls-server-name` : why;
}

/** `reason` itself if it is a KubeError, else a KubeError with `what` and the cause. */
export function toNetworkError(reason: unknown, what: string): KubeError {
  if (reason instanceof KubeError) return reason;
  const { fault, why } = networkFaultOf(reason);
  return new KubeError(fault, `${what}: ${why}`, { cause: reason });
}
