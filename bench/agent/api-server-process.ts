// SPDX-License-Identifier: Apache-2.0
// Entry of a process that answers as an API server with so many Pods that never change, over HTTP/2 and TLS: lists in
// pages, watches that begin with everything (WatchList), bookmarks, discovery. It keeps no object, so it costs little
// beside what is measured. Arguments: the folder of its certificate, the number of Pods.
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { silentLogger } from "../../src/base/log.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { coreKinds } from "../../src/kinds/core-kinds.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";
import { aggregatedDocument } from "../../test/support/sim/sim-api-server-discovery.ts";
import { createPod } from "./pods.ts";

const [folder = "", podCountText = "0"] = process.argv.slice(2);
const podCount = Number(podCountText);
const resourceVersion = "1000000";

/** As kube-apiserver. */
const bookmarkEveryMs = 60_000;

/** Pods of one write while a watch begins: the socket's buffer says when the next may come. */
const podsPerWrite = 50;

const resources = coreKinds.map(
  ({ resource: { group, resource }, kind, versions: [version = "v1"], isNamespaced }) => ({
    group,
    version,
    resource,
    kind,
    isNamespaced,
  }),
);

function pathOf({ group, version, resource }: { group: string; version: string; resource: string }): string {
  return `${group === "" ? "/api" : `/apis/${group}`}/${version}/${resource}`;
}

const kindOf = new Map(resources.map((each) => [pathOf(each), each]));
type Resource = (typeof resources)[number];

function apiVersionOf({ group, version }: Resource): string {
  return group === "" ? version : `${group}/${version}`;
}

function sendJson(response: Http2ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

const rbacGroup = "rbac.authorization.k8s.io";
const bound = { name: "pods-of-admins", resourceVersion };

/** Lets the hub's administrators see the Pods, and nothing else: the rows that they count are the Pods. */
const grants: Readonly<Record<string, object>> = {
  clusterroles: { metadata: bound, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }] },
  clusterrolebindings: {
    metadata: bound,
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: bound.name },
    subjects: [{ kind: "Group", apiGroup: rbacGroup, name: "flotilla:admins" }],
  },
};

function countOf({ resource }: Resource): number {
  return resource === "pods" ? podCount : grants[resource] === undefined ? 0 : 1;
}

function objectAt({ resource }: Resource, at: number): object {
  return grants[resource] ?? createPod(at);
}

function list(response: Http2ServerResponse, resource: Resource, query: URLSearchParams): void {
  const total = countOf(resource);
  // From the watch cache of a real one a list comes whole.
  const limit = query.get("resourceVersion") === "0" ? 0 : Number(query.get("limit") ?? 0);
  const from = Number(query.get("continue") ?? 0);
  const to = limit === 0 ? total : Math.min(total, from + limit);
  const more = to < total ? { continue: String(to), remainingItemCount: total - to } : {};
  const items = Array.from({ length: to - from }, (_, at) => objectAt(resource, from + at));
  const apiVersion = apiVersionOf(resource);
  sendJson(response, { kind: `${resource.kind}List`, apiVersion, metadata: { resourceVersion, ...more }, items });
}

function bookmark(resource: Resource, isInitialEnd: boolean): string {
  const annotations = isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const object = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { resourceVersion, ...annotations },
  };
  return `${JSON.stringify({ type: "BOOKMARK", object })}\n`;
}

async function watch(response: Http2ServerResponse, resource: Resource, query: URLSearchParams): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  const over = closed(response);
  if (query.get("sendInitialEvents") === "true") {
    const total = countOf(resource);
    const [kind, apiVersion] = [resource.kind, apiVersionOf(resource)];
    for (let from = 0; from < total && !response.stream.destroyed; from += podsPerWrite) {
      const length = Math.min(podsPerWrite, total - from);
      const objects = Array.from({ length }, (_, at) => ({ kind, apiVersion, ...objectAt(resource, from + at) }));
      const isTaken = response.write(
        objects.map((object) => `${JSON.stringify({ type: "ADDED", object })}\n`).join(""),
      );
      if (!isTaken) await Promise.race([drained(response), over]);
    }
    response.write(bookmark(resource, true));
  }
  const timer = setInterval(() => response.write(bookmark(resource, false)), bookmarkEveryMs);
  const seconds = Number(query.get("timeoutSeconds") ?? 1_800);
  const ending = setTimeout(() => response.end(), seconds * 1_000);
  await over;
  clearInterval(timer);
  clearTimeout(ending);
}

function drained(response: Http2ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("drain", () => resolve()));
}

function closed(response: Http2ServerResponse): Promise<void> {
  return new Promise((resolve) => (response.stream.destroyed ? resolve() : response.once("close", () => resolve())));
}

/** Ours and client-go's words for it. */
function isWatch(query: URLSearchParams): boolean {
  return query.get("watch") === "true" || query.get("watch") === "1";
}

function answer(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url, "https://bench");
  const resource = kindOf.get(pathname);
  if (resource !== undefined && isWatch(searchParams)) void watch(response, resource, searchParams);
  else if (resource !== undefined) list(response, resource, searchParams);
  else if (pathname === "/version") sendJson(response, { major: "1", minor: "36", gitVersion: "v1.36.3" });
  else if (pathname === "/api" || pathname === "/apis")
    sendJson(response, aggregatedDocument(pathname, resources, new Set()));
  else if (pathname === "/livez" || pathname === "/readyz") response.end("ok");
  else if (pathname === "/api/v1/namespaces/kube-system")
    sendJson(response, {
      kind: "Namespace",
      apiVersion: "v1",
      metadata: { name: "kube-system", uid: `bench-${podCount}` },
    });
  else sendJson(response, { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 }, 404);
}

const certificate = await openOwnCertificate({ folder, names: [], clock: systemClock, log: silentLogger });
const { certificatePem: cert, keyPem: key } = certificate.current;
const server = createSecureServer({ cert, key }, answer);
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port, caFile: certificate.caFile });
});
// Its parent process has ended.
process.once("disconnect", () => process.exit(0));
