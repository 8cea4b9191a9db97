// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "../json/quote-go.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { badRequest } from "../status/api-error.ts";

/** Whom a request wants to speak for, as its headers say it. */
export interface WantedUser {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** Reads the headers of impersonation; undefined where there are none. Throws the real server's 400 where they name no user. */
export function readWantedUser(request: ApiRequest): WantedUser | undefined {
  const wanted: WantedUser = {
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

/** Keys may be percent-encoded; one that is not well-formed is taken as it is, as the real server takes it. */
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

/** As Go prints the struct that the real server holds it in. */
function show({ user, groups, uid, extra }: WantedUser): string {
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
