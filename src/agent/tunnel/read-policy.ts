// SPDX-License-Identifier: Apache-2.0
// Limits what an agent reads for users of the hub, regardless of what the hub asks for (TU7). Pure.
import { FlotillaError } from "../../base/error.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Impersonation } from "../../kube/credentials/cluster-access.ts";
import { isIncluded, type NamespaceFilter } from "../../kube/reflector/scope/namespace-filter.ts";
import { type Gvr, resourceIdText } from "../../model/gvr.ts";
import { quote, utf8ByteCount } from "../../model/text.ts";
import { maxNameBytes, type ObjectRead } from "../../session/tunnel/tunnel.ts";
import type { KindStatusReport } from "../uplink/uplink-options.ts";
import { toImpersonation } from "./act-as.ts";

/** What the agent collects; it reads nothing else for users. */
export interface ReadPolicy {
  readonly kinds: readonly Kind[];
  readonly filter: NamespaceFilter;
  readonly reportOf: (resource: string) => Pick<KindStatusReport, "state" | "version"> | undefined;
}

/** A checked read: the object and the user to impersonate. Every part is safe in a path or a header. */
export interface AllowedRead {
  readonly gvr: Gvr;
  /** Undefined for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly actAs: Impersonation;
}

/** Checks a read. Throws PERMISSION_DENIED, NOT_FOUND, INVALID_ARGUMENT or UNAVAILABLE with a message for the user. */
export function allowRead(read: ObjectRead, policy: ReadPolicy): AllowedRead {
  const actAs = toImpersonation(read.user, read.groups);
  const kind = findKind(read.resource, policy.kinds);
  const version = servedVersion(read.resource, policy);
  checkName(read.name);
  return {
    gvr: { ...kind.resource, version },
    namespace: checkNamespace(read, kind, policy.filter),
    name: read.name,
    actAs,
  };
}

/** Secrets are refused even if they are collected: only their key names leave a cluster (L18). */
function findKind(resource: string, kinds: readonly Kind[]): Kind {
  const kind = kinds.find((each) => resourceIdText(each.resource) === resource);
  if (kind === undefined) {
    throw new FlotillaError(
      "NOT_FOUND",
      `the agent does not collect ${quote(resource)}, and reads nothing else for users`,
    );
  }
  if (resource === "secrets") {
    throw new FlotillaError(
      "PERMISSION_DENIED",
      "the agent reads no Secrets for users; their values stay in the cluster",
    );
  }
  return kind;
}

/** The version in which the cluster serves a kind. Throws NOT_FOUND or UNAVAILABLE. */
export function servedVersion(resource: string, { reportOf }: ReadPolicy): string {
  const report = reportOf(resource);
  if (report?.state === KindState.NOT_INSTALLED) {
    throw new FlotillaError("NOT_FOUND", `the cluster does not serve ${resource}`);
  }
  if (report === undefined || report.version === "") {
    throw new FlotillaError("UNAVAILABLE", `the agent does not know yet how the cluster serves ${resource}`);
  }
  return report.version;
}

function checkNamespace(
  { namespace, resource, name }: ObjectRead,
  kind: Kind,
  filter: NamespaceFilter,
): string | undefined {
  if (kind.isNamespaced !== (namespace !== "")) {
    const fault = kind.isNamespaced ? "lies in a namespace; name it" : "lies in no namespace; name none";
    throw new FlotillaError("INVALID_ARGUMENT", `an object of ${resource} ${fault}`);
  }
  const scope = resource === "namespaces" ? name : namespace;
  if (scope !== "" && !isIncluded(filter, scope)) {
    throw new FlotillaError(
      "NOT_FOUND",
      `the agent does not collect namespace ${quote(scope)}, and reads nothing in it for users`,
    );
  }
  if (!kind.isNamespaced) return undefined;
  checkName(namespace);
  return namespace;
}

/** The rules of Kubernetes for a path segment. Throws INVALID_ARGUMENT. */
export function checkName(name: string): void {
  const isPart = name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name);
  if (!isPart || !name.isWellFormed() || utf8ByteCount(name) > maxNameBytes) {
    throw new FlotillaError("INVALID_ARGUMENT", `${quote(name)} is not the name of an object`);
  }
}
