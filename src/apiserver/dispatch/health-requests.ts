// SPDX-License-Identifier: Apache-2.0
// `/healthz`, `/livez` and `/readyz`, for probes and `kubectl get --raw`.
import { quoteGo } from "../json/quote-go.ts";
import { type ApiResponse, textResponse } from "../request/api-request.ts";

/** Checks of each path, in their listed order. All have the same result here: the server responds. */
const checks: ReadonlyMap<string, readonly string[]> = new Map([
  ["healthz", ["ping", "log", "etcd"]],
  ["livez", ["ping", "log", "etcd"]],
  ["readyz", ["ping", "log", "etcd", "informer-sync", "shutdown"]],
]);

/** Answers a health path; undefined for any other. A path below it selects a single check. */
export function healthResponse(
  [path = "", check, ...more]: readonly string[],
  query: URLSearchParams,
): ApiResponse | undefined {
  const known = checks.get(path);
  if (known === undefined || more.length > 0) return undefined;
  if (check !== undefined) return known.includes(check) ? textResponse(200, "ok") : undefined;
  if (!query.has("verbose")) return textResponse(200, "ok");
  const excluded = query.getAll("exclude");
  const lines = known.map((name) => `[+]${name}${excluded.includes(name) ? " excluded:" : ""} ok\n`);
  const unknown = excluded.filter((name) => !known.includes(name)).sort();
  const warning =
    unknown.length === 0
      ? ""
      : `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => quoteGo(name)).join(", ")}\n`;
  return textResponse(200, `${lines.join("")}${warning}${path} check passed\n`);
}
