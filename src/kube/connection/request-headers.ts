// SPDX-License-Identifier: Apache-2.0
import type { ClusterAccess, Impersonation } from "../credentials/cluster-access.ts";
import type { Credential } from "../credentials/credential.ts";
import { cutText } from "../credentials/redact-secrets.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeRequest } from "../kube-source.ts";

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The headers of a request. A request cannot override the identity headers; it may override the others. */
export function requestHeaders(
  request: KubeRequest,
  access: ClusterAccess,
  credential: Credential,
  userAgent: string,
): Headers {
  const { authorization } = credential;
  const actAs = impersonationOf(request, access);
  // A watch is not compressed: its events are small, and a compressor would delay them.
  const isCompressed = request.method === "GET" && request.isWatch !== true && !access.disableCompression;
  return {
    accept: "application/json",
    ...(isCompressed ? { "accept-encoding": "gzip" } : {}),
    ...request.headers,
    "user-agent": userAgent,
    ...(actAs === undefined ? {} : impersonationHeaders(actAs)),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

/**
 * Rejects nested impersonation: a credential that already impersonates would be checked by the rights of the wrong
 * user.
 */
function impersonationOf({ actAs }: KubeRequest, { user, name }: ClusterAccess): Impersonation | undefined {
  if (actAs === undefined || user.impersonation === undefined) return actAs ?? user.impersonation;
  throw new KubeError(
    "forbidden",
    `the credential for ${cutText(name, 80)} already impersonates a user, so it cannot impersonate another one`,
  );
}

function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Headers {
  const headers: [string, string | readonly string[]][] = [["impersonate-user", toHeaderText(user)]];
  if (uid !== undefined) headers.push(["impersonate-uid", toHeaderText(uid)]);
  if (groups.length > 0) headers.push(["impersonate-group", groups.map(toHeaderText)]);
  for (const [key, values] of extra)
    headers.push([`impersonate-extra-${encodeURIComponent(key)}`, values.map(toHeaderText)]);
  return Object.fromEntries(headers);
}

/** Names are UTF-8 on the wire, as kubectl sends them. Node writes each code unit of a text as one byte. */
function toHeaderText(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
