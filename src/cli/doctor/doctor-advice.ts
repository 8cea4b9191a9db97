// SPDX-License-Identifier: Apache-2.0
// The advice of `flotilla doctor` by cause. Causes are classes that hub and agent report, never texts.
import type { FlotillaError } from "../../base/error.ts";

/** Advice for a hub that cannot be reached, by the system's error code. */
const adviceByNetworkCode: ReadonlyMap<string | number, string> = new Map([
  ["ECONNREFUSED", "start the hub, or check its port"],
  ["ENOTFOUND", "check the spelling of the hub's name, and DNS"],
  ["EAI_AGAIN", "check the DNS server of this machine"],
  ["ETIMEDOUT", "check firewalls between this machine and the hub"],
  ["EHOSTUNREACH", "check the route from this machine to the hub"],
  ["ENETUNREACH", "check the route from this machine to the hub"],
  ["CERT_HAS_EXPIRED", "renew the hub's certificate"],
  ["CERT_NOT_YET_VALID", "check the clocks of this machine and the hub"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "call the hub by a name of its certificate"],
]);

/** Advice for a failed call to the hub. */
export function adviceForHub({ code, ids }: FlotillaError): string {
  switch (code) {
    case "UNAUTHENTICATED":
      return "create another with flotilla token create, or run flotilla login";
    case "PERMISSION_DENIED":
      return "use a token whose user may list clusters";
    case "CERTIFICATE_INVALID":
      return adviceByNetworkCode.get(ids["network"] ?? "") ?? "give the hub's CA with --ca-file, or run flotilla login";
    case "UNAVAILABLE":
    case "DEADLINE_EXCEEDED":
      return (
        adviceByNetworkCode.get(ids["network"] ?? "") ?? "check that the hub runs and that this machine reaches it"
      );
    default:
      return "see the hub's log";
  }
}

/** Advice for a cluster's connection, by the class of its reason. */
const adviceByReason: ReadonlyMap<string, string> = new Map([
  ["none", "wait: its rows are being compared"],
  ["never", "start its agent: flotilla cluster join ID"],
  ["agentLost", "check the agent's Pod (kubectl -n flotilla get pods) and its connection to the hub"],
  ["agentLeft", "start its agent again"],
  ["heartbeatMissed", "check the agent's machine and network: the agent hangs or is disconnected"],
  ["hubRestarted", "wait: its agent reconnects by itself"],
  ["rejected", "see why in the agent's log; flotilla cluster rotate or accept may be needed"],
  ["unauthorized", "renew the agent's credential for the API server"],
  ["forbidden", "grant the agent its permissions: flotilla agent manifest prints them"],
  ["tls", "check the API server's certificate and the CA the agent was given"],
  ["dns", "check the name of the API server where the agent runs"],
  ["tcp", "check that the API server runs and that nothing refuses connections to it"],
  ["timeout", "check the network between agent and API server: packets are dropped"],
  ["overloaded", "wait: the API server limits requests"],
  ["pending", "flotilla cluster approve ID"],
  ["paused", "flotilla cluster resume ID"],
]);

/** Advice for a cluster's connection. `ID` is printed for the cluster if `cluster` is undefined. */
export function adviceForCluster(reason: string, cluster = "ID"): string {
  return (adviceByReason.get(reason) ?? "see the agent's log").replace("ID", cluster);
}

/**
 * Advice for a kind that cannot be read, by the class of the fault. Connection faults have the same advice as above.
 */
export function adviceForKind(fault: string): string {
  if (fault === "notFound") return "wait: it is no longer installed, and the agent checks again";
  return adviceForCluster(fault);
}
