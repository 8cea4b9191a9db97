// SPDX-License-Identifier: Apache-2.0
// `node scripts/bootstrap.mjs scripts/kubernetes-schema.ts`: writes src/gen/kubernetes/schema-table.ts from the Go
// modules that the Kubernetes kit was built from and from that kit's own server, which it starts and stops. Run it
// after raising the kit's version.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceFacts } from "../src/apiserver/schema/schema.ts";
import { startCluster } from "../test/kubernetes/start-cluster.ts";
import { parseKubernetesVersion, wantedVersion } from "./kubernetes-kit.ts";
import { buildTypes } from "./kubernetes-schema/build-types.ts";
import { GoWorld } from "./kubernetes-schema/go-world.ts";
import { apiVersionOf, type Fetch, readDiscovery } from "./kubernetes-schema/read-discovery.ts";
import type { GoType } from "./kubernetes-schema/read-go-types.ts";
import { findKind, type OpenApiType, readOpenApi } from "./kubernetes-schema/read-openapi.ts";
import { renderTable } from "./kubernetes-schema/render-table.ts";
import { root } from "./project.ts";

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1";

/** The kinds of a resource: its own, its list, and the body kinds of its subresources. */
function kindsOf({
  group,
  version,
  kind,
  subresources,
}: ResourceFacts): readonly (readonly [string, string, string])[] {
  return [
    [group, version, kind],
    [group, version, `${kind}List`],
    // The options of exec, proxy and similar are query parameters, never a body.
    ...subresources
      .filter((each) => !each.kind.endsWith("Options"))
      .map((each) => [each.group, each.version, each.kind] as const),
  ];
}

function findKinds(
  resources: readonly ResourceFacts[],
  openApi: ReadonlyMap<string, OpenApiType>,
): Map<string, string> {
  const kinds = new Map<string, string>();
  for (const [group, version, kind] of resources.flatMap((each) => kindsOf(each))) {
    const name = findKind(openApi, group, version, kind);
    // Reviews and bindings have no list.
    if (name !== undefined) kinds.set(`${apiVersionOf(group, version)}/${kind}`, name);
    else if (!kind.endsWith("List")) throw new Error(`OpenAPI has no type for ${group}/${version} ${kind}`);
  }
  return kinds;
}

/** `io.k8s.api.core.v1.Pod` -> import path and name. */
function toGoType(world: GoWorld, name: string): GoType {
  const at = name.lastIndexOf(".");
  const path = name
    .slice(0, at)
    .replace(/^io\.k8s\./, "")
    .replaceAll(".", "/");
  return world.type(`k8s.io/${path}`, name.slice(at + 1));
}

async function main(): Promise<void> {
  const version = wantedVersion(process.env);
  const { minor, patch } = parseKubernetesVersion(version);
  const moduleCache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim();
  const world = new GoWorld(moduleCache, `v0.${minor}.${patch}`);
  await using cluster = await startCluster();
  if (cluster.version !== version) throw new Error(`the kit's server is ${cluster.version}, not ${version}`);
  const client = cluster.connect();
  const fetch: Fetch = (path, accept) => client.ask("GET", path, { headers: { accept } });
  const resources = await readDiscovery(fetch);
  const paths = new Set(
    resources.map(({ group, version }) => (group === "" ? `api/${version}` : `apis/${group}/${version}`)),
  );
  const documents: unknown[] = [];
  for (const path of paths) documents.push(await fetch(`/openapi/v3/${path}`, "application/json"));
  const openApi = readOpenApi(documents);
  const kinds = findKinds(resources, openApi);
  for (const kind of ["DeleteOptions", "Status"])
    kinds.set(`v1/${kind}`, `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`);
  const roots = [...new Set(kinds.values())].map((name) => toGoType(world, name));
  const types = buildTypes(world, openApi, [...roots, world.type(metaPackage, "LabelSelector")]);
  const text = renderTable({ kubernetesVersion: version.slice(1), resources, kinds, types });
  const folder = join(root, "src/gen/kubernetes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "schema-table.ts"), text);
  console.log(`written: src/gen/kubernetes/schema-table.ts, ${types.length} types, ${text.length} bytes`);
}

await main();
