// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../src/base/random.ts";
import { chance, drawNumber, drawText, pick } from "./api-fuzz-values.ts";

const oddSegments = [
  "%2F",
  "%2e%2e",
  "..",
  ".",
  "%00",
  "%1f",
  "%ff",
  "%E0%A4%A",
  "%",
  "%25",
  "%252F",
  "__proto__",
  "constructor",
  "%F0%9F%9A%80",
  "a%20b",
  "a;b=c",
  "~",
  "A",
  "-a",
  "%3F",
  "%23",
  "x".repeat(600),
  "%0d%0aset-cookie:x",
];

const stems = [
  "/",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/version",
  "/healthz",
  "/readyz/ping",
  "/livez",
  "/metrics",
  "/api/v1/watch/pods",
  "/api/v1/proxy",
  "/api/v2/pods",
  "/apis/__proto__/v1/x",
  "/api/v1/namespaces/default/pods/a/log",
  "/.well-known/openid-configuration",
  "/logs",
  "/debug/pprof",
];

/** One segment of a path that is no plain name. */
export function drawOddSegment(random: Random): string {
  return pick(random, oddSegments);
}

/** A path that names no object, or nothing at all. */
export function drawBadPath(random: Random): string {
  let path = pick(random, stems);
  for (let count = random.int(4); count > 0; count -= 1) path += `/${chance(random, 3) ? "" : drawOddSegment(random)}`;
  return path;
}

const selectors = [
  "app=web",
  "app!=web",
  "app",
  "!app",
  "app in (web,db)",
  "app notin ()",
  "app in (",
  "a=b,c=d,",
  "=",
  "!",
  "a>1",
  "a<x",
  "a==b==c",
  "__proto__=x",
  "x".repeat(4000),
  "a in (b),!c,d=,e notin (f)",
  "metadata.name=a",
  "metadata.name!=a,metadata.namespace=default",
  "spec.nodeName=",
  "status.phase=Running",
  "involvedObject.kind=Pod",
  "type=x",
  "a\\,b=c",
  "metadata.name",
];

const tokenTexts = [
  '{"v":"meta.k8s.io/v1","rv":1,"start":"a\\u0000"}',
  '{"v":"meta.k8s.io/v1","rv":5,"start":"default/a\\u0000"}',
  '{"v":"meta.k8s.io/v1","rv":5,"start":"other/a\\u0000"}',
  '{"v":"meta.k8s.io/v1","rv":5,"start":"\\u0000\\u0000"}',
  '{"v":"meta.k8s.io/v1","rv":5,"start":"a\\u001fb"}',
  '{"v":"meta.k8s.io/v1","rv":9007199254740991,"start":"default/a\\u0000"}',
  '{"v":"meta.k8s.io/v1","rv":-1,"start":"a\\u0000"}',
  '{"v":"meta.k8s.io/v1","rv":1e300,"start":"a\\u0000"}',
  '{"v":"meta.k8s.io/v1","rv":3,"start":"../../x"}',
  '{"v":"meta.k8s.io/v1","rv":3,"start":"\\ud800/x"}',
  `{"v":"meta.k8s.io/v1","rv":3,"start":"${"n".repeat(600)}/x"}`,
  '{"v":"meta.k8s.io/v1","rv":3,"start":"a","rc":-5}',
  '{"__proto__":{"v":"meta.k8s.io/v1"},"rv":3}',
  "[]",
  "7",
  "null",
];

function drawToken(random: Random): string {
  if (chance(random, 4)) return drawText(random);
  return Buffer.from(pick(random, tokenTexts)).toString("base64url");
}

const drawByName: Readonly<Record<string, (random: Random) => string>> = {
  watch: (random) => pick(random, ["true", "1", "false", "", "nonsense"]),
  limit: (random) => pick(random, ["1", "2", "0", "-1", "99999999999999999999", "x", "9223372036854775807"]),
  continue: drawToken,
  labelSelector: (random) => (chance(random, 4) ? drawText(random) : pick(random, selectors)),
  fieldSelector: (random) => (chance(random, 4) ? drawText(random) : pick(random, selectors)),
  resourceVersion: (random) =>
    chance(random, 40)
      ? "9007199254740991"
      : pick(random, ["", "0", "1", "2", "10", "-1", "x", "99999999999999999999", "1.5"]),
  resourceVersionMatch: (random) => pick(random, ["Exact", "NotOlderThan", "", "x"]),
  sendInitialEvents: (random) => pick(random, ["true", "false", ""]),
  allowWatchBookmarks: () => "true",
  timeoutSeconds: (random) => pick(random, ["1", "0", "-1", "x", "99999999999"]),
  dryRun: (random) => pick(random, ["All", "", "x"]),
  fieldValidation: (random) => pick(random, ["Strict", "Warn", "Ignore", "x"]),
  fieldManager: (random) => drawText(random),
  force: (random) => pick(random, ["true", "x"]),
  pretty: () => "true",
  propagationPolicy: (random) => pick(random, ["Foreground", "Background", "Orphan", "x"]),
  gracePeriodSeconds: (random) => String(drawNumber(random)),
  orphanDependents: (random) => pick(random, ["true", "false", "x"]),
  includeObject: (random) => pick(random, ["Object", "None", "Metadata", "x"]),
  container: (random) => drawText(random),
  __proto__x: (random) => drawText(random),
};

export function drawQuery(random: Random): string {
  const parts: string[] = [];
  for (let count = 1 + random.int(3); count > 0; count -= 1) {
    const name = pick(random, Object.keys(drawByName));
    parts.push(`${name}=${encodeURIComponent((drawByName[name]?.(random) ?? "").toWellFormed())}`);
  }
  if (chance(random, 20)) parts.push(pick(random, ["%", "%zz=1", "&&&", "=", "a=%ff", "watch=%00"]));
  return parts.join("&");
}
