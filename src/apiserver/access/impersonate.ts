// SPDX-License-Identifier: Apache-2.0
// Impersonation. It is allowed in one of several modes, each with its own verbs: Kubernetes' constrained modes, which
// also limit the impersonated request, and the legacy mode, which allows any request. A refusal is that of the first
// mode that fits.
import { isDnsSubdomain } from "../../model/dns-name.ts";
import {
  anonymousSubject,
  authenticatedGroup,
  parseServiceAccountUser,
  type Subject,
  unauthenticatedGroup,
} from "../../model/subject.ts";
import type { RequestAttributes, ResourceAttributes } from "../../rbac/attributes.ts";
import { type Authorizer, mastersGroup } from "../../rbac/authorizer-chain.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ApiError } from "../status/api-error.ts";
import { denied } from "./denied.ts";
import { type ImpersonatedUser, readImpersonatedUser } from "./impersonated-user.ts";

/** One mode of impersonation. */
interface Mode {
  readonly name: "arbitrary-node" | "serviceaccount" | "user-info" | "legacy";
  readonly fits: (wanted: ImpersonatedUser) => boolean;
}

const modes: readonly Mode[] = [
  { name: "arbitrary-node", fits: (wanted) => isNameOnly(wanted) && nodeOf(wanted.user) !== undefined },
  { name: "serviceaccount", fits: (wanted) => isNameOnly(wanted) && isServiceAccount(wanted.user) },
  { name: "user-info", fits: ({ user }) => nodeOf(user) === undefined && !isServiceAccount(user) },
  { name: "legacy", fits: () => true },
];

/**
 * The user of the request: the authenticated one, or the impersonated one if allowed. Throws kube-apiserver's refusals.
 */
export function impersonate(request: ApiRequest, attributes: RequestAttributes, authorizer: Authorizer): Subject {
  const wanted = readImpersonatedUser(request);
  if (wanted === undefined) return request.user;
  let refusal: ApiError | undefined;
  for (const { name, fits } of modes) {
    if (!fits(wanted)) continue;
    const found = refusalIn(name, wanted, { attributes, user: request.user, authorizer });
    if (found === undefined) return toSubject(wanted, name);
    refusal ??= found;
  }
  throw refusal ?? denied(request.user, attributes);
}

interface Asker {
  readonly attributes: RequestAttributes;
  readonly user: Subject;
  readonly authorizer: Authorizer;
}

/** The refusal in this mode; undefined if impersonation is allowed. */
function refusalIn(
  mode: Mode["name"],
  wanted: ImpersonatedUser,
  { attributes, user, authorizer }: Asker,
): ApiError | undefined {
  for (const asked of permissionsFor(mode, wanted, attributes)) {
    if (typeof asked === "string") return denied(user, groupAttributes(mode, mastersGroup), asked);
    const verdict = authorizer(user, asked);
    if (verdict.decision !== "allow") return denied(user, asked, verdict.reason);
  }
  return undefined;
}

/** The permissions that the mode requires, in kube-apiserver's order. A string is an unconditional refusal. */
function* permissionsFor(
  mode: Mode["name"],
  wanted: ImpersonatedUser,
  attributes: RequestAttributes,
): Generator<RequestAttributes | string> {
  const isLegacy = mode === "legacy";
  if (!isLegacy) yield { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` };
  const node = isLegacy ? undefined : nodeOf(wanted.user);
  const account = parseServiceAccountUser(wanted.user);
  const person = { ...groupAttributes(mode, wanted.user), resource: "users" };
  if (node !== undefined) yield { ...person, resource: "nodes", name: node };
  else if (account !== undefined) yield { ...person, resource: "serviceaccounts", ...account };
  else yield person;
  const other = { ...person, apiGroup: "authentication.k8s.io" };
  if (wanted.uid !== "") yield { ...other, resource: "uids", name: wanted.uid };
  if (!isLegacy && wanted.groups.includes(mastersGroup)) yield "impersonating the system:masters group is not allowed";
  for (const name of wanted.groups) yield groupAttributes(mode, name);
  for (const [subresource, values] of wanted.extra)
    for (const name of values) yield { ...other, resource: "userextras", subresource, name };
}

function groupAttributes(mode: Mode["name"], name: string): ResourceAttributes {
  return {
    kind: "resource",
    verb: mode === "legacy" ? "impersonate" : `impersonate:${mode}`,
    apiGroup: mode === "legacy" ? "" : "authentication.k8s.io",
    resource: "groups",
    subresource: "",
    namespace: "",
    name,
  };
}

/**
 * The impersonated groups replace all groups, except those that every user has. A node or service account without
 * groups gets its own.
 */
function toSubject({ user, groups, uid, extra }: ImpersonatedUser, mode: Mode["name"]): Subject {
  const account = parseServiceAccountUser(user);
  const isNode = mode !== "legacy" && nodeOf(user) !== undefined;
  const own = isNode
    ? ["system:nodes"]
    : account === undefined
      ? []
      : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
  const all = new Set(groups.length === 0 ? own : groups);
  if (user === anonymousSubject.user) all.add(unauthenticatedGroup);
  else if (!all.has(unauthenticatedGroup)) all.add(authenticatedGroup);
  return {
    user,
    groups: [...all],
    ...(extra.size === 0 ? {} : { extra }),
    ...(uid === "" ? {} : { uid }),
  };
}

function isNameOnly({ groups, uid, extra }: ImpersonatedUser): boolean {
  return groups.length === 0 && uid === "" && extra.size === 0;
}

function isServiceAccount(user: string): boolean {
  return parseServiceAccountUser(user) !== undefined;
}

function nodeOf(user: string): string | undefined {
  const prefix = "system:node:";
  const name = user.slice(prefix.length);
  return user.startsWith(prefix) && isDnsSubdomain(name) ? name : undefined;
}
