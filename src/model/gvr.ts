// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { isDnsLabel, isDnsSubdomain } from "./dns-name.ts";
import { compareUtf8, quote } from "./text.ts";

/** A resource without its version (CO2), as keys, rows and digests use it. `group` is "" for the core group. */
export interface ResourceId {
  readonly group: string;
  readonly resource: string;
}

/** A resource in one API version, the target of requests. */
export interface Gvr extends ResourceId {
  readonly version: string;
}

const coreEvents: ResourceId = { group: "", resource: "events" };
const groupedEvents: ResourceId = { group: "events.k8s.io", resource: "events" };

function isSame(a: ResourceId, b: ResourceId): boolean {
  return a.group === b.group && a.resource === b.resource;
}

function refuse(text: string, fault: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", `resource ${quote(text)} ${fault}`);
}

function faultOf(id: ResourceId): string | undefined {
  if (id.group !== "" && !isDnsSubdomain(id.group)) return "has a group that is not a DNS subdomain";
  if (!isDnsLabel(id.resource)) return "has a resource that is not a DNS label, such as pods";
  return undefined;
}

/** True for parts that `createResourceId` accepts without change (CO4, CO5). */
export function isCanonicalResourceId(id: ResourceId): boolean {
  return faultOf(id) === undefined && !isSame(id, groupedEvents);
}

/** The canonical id of a resource: `events.k8s.io/events` becomes core `events` (CO5). Throws INVALID_ARGUMENT. */
export function createResourceId(group: string, resource: string): ResourceId {
  const id: ResourceId = { group, resource };
  const fault = faultOf(id);
  if (fault !== undefined) refuse(resourceIdText(id), fault);
  return isSame(id, groupedEvents) ? coreEvents : id;
}

/** `apps/deployments`; `pods` for the core group. */
export function resourceIdText(id: ResourceId): string {
  return id.group === "" ? id.resource : `${id.group}/${id.resource}`;
}

/** Parses the output of `resourceIdText`. Throws INVALID_ARGUMENT for any other form. */
export function parseResourceId(text: string): ResourceId {
  const [first = "", second, ...more] = text.split("/");
  if (more.length > 0) refuse(text, "has more than one /; write it as apps/deployments or pods");
  if (second === undefined) return createResourceId("", first);
  if (first === "") refuse(text, "begins with /; a resource of the core group is written alone: pods");
  return createResourceId(first, second);
}

/** Orders by group, then resource, each bytewise (CO10). */
export function compareResourceIds(a: ResourceId, b: ResourceId): number {
  return compareUtf8(a.group, b.group) || compareUtf8(a.resource, b.resource);
}

/** `apps/v1/deployments`; `v1/services` for the core group (CO3). */
export function gvrText(gvr: Gvr): string {
  const rest = `${gvr.version}/${gvr.resource}`;
  return gvr.group === "" ? rest : `${gvr.group}/${rest}`;
}
