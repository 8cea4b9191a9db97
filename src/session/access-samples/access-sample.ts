// SPDX-License-Identifier: Apache-2.0
// Types and limits that both ends of access reviews share; see docs/spec/session.md, SE62 to SE64.
import type { ClusterAuthorizers } from "../../index/access/judge-grants.ts";
import { isDnsSubdomain } from "../../model/dns-name.ts";
import { authenticatedGroup } from "../../model/subject.ts";
import { utf8ByteCount } from "../../model/text.ts";

/** A request that a user of a cluster could make, in the parts of a SubjectAccessReview. */
export interface SampledRequest {
  /** The user's name in the cluster. */
  readonly user: string;
  /** With the implied groups: a review adds none. */
  readonly groups: readonly string[];
  readonly verb: "get" | "list";
  /** "" for the core group. */
  readonly group: string;
  readonly resource: string;
  /** "" for the whole cluster. For `get` of a Namespace its own name (RB38). */
  readonly namespace: string;
  /** "" for a list of more than one object. */
  readonly name: string;
}

/** A request as an agent receives it: the verb may be one of a newer hub. */
export type AskedRequest = Omit<SampledRequest, "verb"> & { readonly verb: string };

/** A request, and our answer to it. */
export interface AccessSample extends SampledRequest {
  /** Whether the cluster's RBAC objects, as the hub has them, allow the request. */
  readonly isAllowed: boolean;
}

/** The API server's answer; `unknown` if it was not asked or has not answered. */
export type ReviewVerdict = "allowed" | "denied" | "unknown";

/** Requests to be reviewed. The answer repeats the number. */
export interface ReviewOrder {
  readonly number: number;
  readonly requests: readonly AskedRequest[];
}

/** The answer to an order: a verdict for each request, in order. */
export interface ReviewAnswer {
  readonly number: number;
  readonly verdicts: readonly ReviewVerdict[];
}

/** Whether an agent creates SubjectAccessReviews: it does, its credential may not, or its own policy forbids it. */
export type ReviewRight = "allowed" | "forbidden" | "off";

/** An agent's report of how its cluster authorizes requests (SE62). */
export interface AccessReportFacts {
  readonly authorizers: ClusterAuthorizers;
  /** The API server's reason, or why the authorizers are not known; "" without one. */
  readonly detail: string;
  readonly reviews: ReviewRight;
}

/** Most requests of one order, and most reviews of an agent in a minute (SE63, SE64). */
export const maxReviewCount = 30;

/** Most bytes of the names of one request: a user with several hundred groups. */
const maxRequestBytes = 16 * 1024;

/** Most bytes of the names of one order: a small part of what may wait in the hub's queue for one agent. */
const maxOrderBytes = 128 * 1024;

/** Most groups of a request. Directories assign hundreds to long-time employees. */
const maxGroupCount = 1_024;

/** Most bytes of a user or group. */
const maxSubjectBytes = 1_024;

/** Most bytes of a namespace or of an object's name: the limit of Kubernetes. */
const maxNameBytes = 253;

/** Most bytes of a report's detail (SE62). */
export const maxDetailBytes = 512;

const systemPrefix = "system:";

/**
 * Whether a request may be reviewed (SE64). Both ends check it: the hub draws only such samples, and the agent asks
 * about nothing else, whatever the hub sends.
 */
export function isReviewable(request: AskedRequest): request is SampledRequest {
  const { user, groups, verb, group, resource, namespace, name } = request;
  return (
    (verb === "get" || verb === "list") &&
    isPlainName(user, maxSubjectBytes) &&
    !user.startsWith(systemPrefix) &&
    groups.length <= maxGroupCount &&
    groups.every(isSampledGroup) &&
    (group === "" || isDnsSubdomain(group)) &&
    isDnsSubdomain(resource) &&
    (namespace === "" || isPlainName(namespace, maxNameBytes)) &&
    (name === "" || isPlainName(name, maxNameBytes)) &&
    requestBytes(request) <= maxRequestBytes
  );
}

/** The first of the requests that fit into one order (SE63). */
export function takeOrder<Request extends SampledRequest>(requests: readonly Request[]): readonly Request[] {
  const taken: Request[] = [];
  let byteCount = 0;
  for (const request of requests) {
    byteCount += requestBytes(request);
    if (taken.length === maxReviewCount || byteCount > maxOrderBytes) break;
    taken.push(request);
  }
  return taken;
}

function isSampledGroup(group: string): boolean {
  return group === authenticatedGroup || (isPlainName(group, maxSubjectBytes) && !group.startsWith(systemPrefix));
}

function isPlainName(text: string, maxBytes: number): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  return text !== "" && text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text) && utf8ByteCount(text) <= maxBytes;
}

function requestBytes({ user, groups, group, resource, namespace, name }: AskedRequest): number {
  return [user, ...groups, group, resource, namespace, name].reduce((sum, text) => sum + utf8ByteCount(text), 0);
}
