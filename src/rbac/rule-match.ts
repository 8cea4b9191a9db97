// SPDX-License-Identifier: Apache-2.0
import type { RequestAttributes, ResourceAttributes } from "./attributes.ts";
import type { PolicyRule } from "./rbac-types.ts";

/** `resource` or `resource/subresource`, as rules name resources. */
export function combinedResource(attributes: Pick<ResourceAttributes, "resource" | "subresource">): string {
  const { resource, subresource } = attributes;
  return subresource === "" ? resource : `${resource}/${subresource}`;
}

/** True if a URL of a rule matches `path`: `*`, equality, or the prefix before its trailing stars. */
export function urlMatches(ruleUrl: string, path: string): boolean {
  return ruleUrl === path || (ruleUrl.endsWith("*") && path.startsWith(withoutTrailingStars(ruleUrl)));
}

function withoutTrailingStars(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "*") end -= 1;
  return text.slice(0, end);
}

function holds(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}

function resourceMatches(resources: readonly string[], attributes: ResourceAttributes): boolean {
  if (holds(resources, combinedResource(attributes))) return true;
  return attributes.subresource !== "" && resources.includes(`*/${attributes.subresource}`);
}

/** True if `rule` grants the verb on the resource, ignoring resourceNames. */
export function ruleGrantsResource(rule: PolicyRule, attributes: ResourceAttributes): boolean {
  return (
    holds(rule.verbs, attributes.verb) &&
    holds(rule.apiGroups, attributes.apiGroup) &&
    resourceMatches(rule.resources, attributes)
  );
}

/** True if `rule` by itself allows the request. The scope of the rule is the caller's concern. */
export function ruleAllows(rule: PolicyRule, attributes: RequestAttributes): boolean {
  if (attributes.kind === "nonResource") {
    return holds(rule.verbs, attributes.verb) && rule.nonResourceURLs.some((url) => urlMatches(url, attributes.path));
  }
  if (rule.resourceNames.length > 0 && !rule.resourceNames.includes(attributes.name)) return false;
  return ruleGrantsResource(rule, attributes);
}
