// SPDX-License-Identifier: Apache-2.0
import type { ClusterAccess, Impersonation } from "../credentials/cluster-access.ts";
import type { Credential } from "../credentials/credential.ts";
import type { KubeRequest } from "../kube-source.ts";

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The headers of a request. Who we are is never the request's to say; the rest it may say otherwise. */
export function requestHeaders(
  request: KubeRequest,
  access: ClusterAccess,
  credential: Credential,
  userAgent: string,
): Headers {
  const { authorization } = credential;
  // A watch is not compressed: its events are small and must not wait in a compressor.
  const isCompressed = request.method === "GET" && request.isWatch !== true && !access.disableCompression;
  return {
    accept: "application/json",
    ...(isCompressed ? { "accept-encoding": "gzip" } : {}),
    ...request.headers,
    "user-agent": userAgent,
    ...(access.user.impersonation === undefined ? {} : impersonationHeaders(access.user.impersonation)),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Headers {
  const headers: [string, string | readonly string[]][] = [["impersonate-user", user]];
  if (uid !== undefined) headers.push(["impersonate-uid", uid]);
  if (groups.length > 0) headers.push(["impersonate-group", groups]);
  for (const [key, values] of extra) headers.push([`impersonate-extra-${encodeURIComponent(key)}`, values]);
  return Object.fromEntries(headers);
}
