// SPDX-License-Identifier: Apache-2.0
// A hub and an agent that run apart, and what is compared with `flotilla up`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, type Transport } from "@connectrpc/connect";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { BackgroundProgram, quickPaces } from "./fleet/background-program.ts";
import type { ImportingHub } from "./fleet/importing-hub.ts";

const texts: readonly string[] = [
  "not kind:Event",
  "kind:Pod status:healthy",
  "status:unhealthy",
  "kind:Kustomization name:my-*",
  "environment:playground region:eu-* kind:Deployment",
  "label.app=cart or owner:ReplicaSet/*",
  '"back-off"',
];

/** Answers of a hub about one cluster: everything in them that does not change by itself. */
export async function listAnswers(hub: { readonly transport: Transport }, cluster: string): Promise<unknown> {
  const rpc = createClient(QueryService, hub.transport);
  return Promise.all(
    texts.map(async (text) => {
      const query = `(${text}) cluster:${cluster}`;
      const { objects, total, facets } = await rpc.listObjects({ query, limit: 500, facets: ["kind", "namespace"] });
      const counts = facets.map(({ field, values }) => [field, values.map(({ value, count }) => [value, count])]);
      const rows = objects.map(({ row }) => [row?.resource, row?.namespace, row?.name, row?.status]);
      return [query, total, counts, rows];
    }),
  );
}

/** Starts an agent for a playground cluster of `dataDir` that joins the hub. End it. */
export async function startAgentApart(
  hub: ImportingHub,
  { cluster, folder, dataDir }: { readonly cluster: string; readonly folder: string; readonly dataDir: string },
): Promise<BackgroundProgram> {
  const { hubUrl, caFile } = hub.runFile();
  const joinTokenFile = join(folder, "apart.join");
  const { stdout } = await hub.run("cluster", "join", cluster, "--token-only");
  writeFileSync(joinTokenFile, stdout, { mode: 0o600 });
  const flags = {
    "cluster-id": cluster,
    region: "eu-west",
    environment: "playground",
    hub: hubUrl,
    "ca-file": caFile,
    "join-token-file": joinTokenFile,
    "key-file": join(folder, "apart.key"),
    kubeconfig: join(dataDir, "kubeconfig"),
    context: cluster,
    "admin-port": "0",
  };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return new BackgroundProgram({ cwd: folder, args: ["agent", ...words], variables: quickPaces });
}
