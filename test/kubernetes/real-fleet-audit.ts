// SPDX-License-Identifier: Apache-2.0
// What an agent asks of its API server, as the audit log of a real kube-apiserver tells it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One request, as far as tests look at it. */
export interface AuditedRequest {
  readonly verb: string;
  readonly uri: string;
  readonly atMs: number;
}

export const isProbe = ({ uri }: AuditedRequest): boolean => uri.startsWith("/livez");

/** Discovery is asked for now and then, whatever the cluster holds. */
export const isDiscovery = ({ verb, uri }: AuditedRequest): boolean => verb === "get" && /^\/apis?(\?|$)/.test(uri);

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
}

const agentUser = "system:serviceaccount:flotilla:flotilla-agent";

/** The audit log of one API server, kept to what its agent does. Give `flags` to the server. */
export class AuditLog {
  readonly flags: readonly string[];
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "audit.log");
    const policyFile = join(folder, "audit-policy.json");
    const policy = {
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      omitStages: ["ResponseStarted", "ResponseComplete", "Panic"],
      rules: [{ level: "Metadata", users: [agentUser] }, { level: "None" }],
    };
    writeFileSync(policyFile, JSON.stringify(policy));
    writeFileSync(this.#file, "");
    this.flags = [`--audit-policy-file=${policyFile}`, `--audit-log-path=${this.#file}`, "--audit-log-mode=blocking"];
  }

  /** Every request of the agent since the server started, in the order in which they came. */
  requests(): readonly AuditedRequest[] {
    // The server goes on writing: what comes after the last end of a line is no whole line yet.
    const lines = readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
    return lines
      .map((line) => JSON.parse(line) as AuditEvent)
      .map(({ verb, requestURI, requestReceivedTimestamp }) => ({
        verb,
        uri: requestURI,
        atMs: Date.parse(requestReceivedTimestamp),
      }));
  }

  /** Those that came after the first `count`. */
  since(count: number): readonly AuditedRequest[] {
    return this.requests().slice(count);
  }
}
