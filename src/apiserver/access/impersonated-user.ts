// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "../json/quote-go.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { badRequest } from "../status/api-error.ts";

/** The impersonated user in the request's headers. */
export interface ImpersonatedUser {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** Reads the impersonation headers; undefined without them. Throws kube-apiserver's 400 if they name no user. */
export function readImpersonatedUser(request: ApiRequest): ImpersonatedUser | undefined {
  const wanted: ImpersonatedUser = {
    user: request.header("impersonate-user") ?? "",
    groups: splitHeader(request.header("impersonate-group")),
    uid: request.header("impersonate-uid") ?? "",
    extra: extraOf(request),
  };
  if (wanted.user !== "") return wanted;
  if (wanted.groups.length === 0 && wanted.uid === "" && wanted.extra.size === 0) return undefined;
  throw badRequest(`requested ${show(wanted)} without impersonating a user name`);
}

function extraOf(request: ApiRequest): ReadonlyMap<string, readonly string[]> {
  const prefix = "impersonate-extra-";
  return new Map(
    request.headersUnder(prefix).map(([name, value]) => [decodeKey(name.slice(prefix.length)), splitHeader(value)]),
  );
}

/** Keys may be percent-encoded. As in kube-apiserver, a malformed key is used unchanged. */
function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (reason) {
    if (!(reason instanceof URIError)) throw reason;
    return text;
  }
}

function splitHeader(value: string | undefined): readonly string[] {
  return value === undefined || value === "" ? [] : value.split(",").map((part) => part.trim());
}

/** Formats the user as Go prints kube-apiserver's struct. */
function show({ user, groups, uid, extra }: ImpersonatedUser): string {
  const entries = [...extra]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${quoteGo(key)}:${showList(values)}`);
  const shownExtra = extra.size === 0 ? "(nil)" : `{${entries.join(", ")}}`;
  const shownGroups = groups.length === 0 ? "[]string(nil)" : showList(groups);
  return `&user.DefaultInfo{Name:${quoteGo(user)}, UID:${quoteGo(uid)}, Groups:${shownGroups}, Extra:map[string][]string${shownExtra}}`;
}

function showList(texts: readonly string[]): string {
  return `[]string{${texts.map(quoteGo).join(", ")}}`;
}
