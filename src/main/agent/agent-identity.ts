// SPDX-License-Identifier: Apache-2.0
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createFileIdentityStore, type IdentityFiles } from "../../agent/identity/file-identity-store.ts";
import type { IdentityStore } from "../../agent/identity/identity-record.ts";
import type { JoinPort } from "../../agent/identity/join-hub.ts";
import { SecretIdentityStore } from "../../agent/identity/secret-identity-store.ts";
import { FlotillaError } from "../../base/error.ts";
import { SessionService } from "../../gen/flotilla/session/v1/session_pb.ts";
import { inClusterAccess, isInCluster } from "../../kube/credentials/in-cluster.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import type { HubTransport } from "../../rpc/client/client.ts";
import type { AgentLocation } from "./agent-location.ts";
import type { AgentConfig } from "./agent-settings.ts";

/**
 * Where the agent keeps its key: the configured file; in a cluster a Secret in its own namespace; otherwise a file in
 * the data directory.
 */
export async function findPlace(
  { keyFile, dataDir, clusterId, kubeconfig }: Pick<AgentConfig, "keyFile" | "dataDir" | "clusterId" | "kubeconfig">,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AgentLocation> {
  const hostName = hostname();
  if (keyFile === undefined && kubeconfig === undefined && isInCluster({ environment })) {
    const { namespace = "" } = await inClusterAccess({ environment });
    return { kind: "pod", namespace, hostName };
  }
  return { kind: "file", hostName, keyFile: keyFile ?? join(dataDir, `agent-${clusterId}.json`) };
}

/** The store of the agent's key at this place. */
export function openIdentityStore(place: AgentLocation, source: KubeSource, requestTimeoutMs: number): IdentityStore {
  if (place.kind === "file") return createFileIdentityStore(place.keyFile, identityFiles);
  return new SecretIdentityStore({ source, namespace: place.namespace, requestTimeoutMs });
}

/** The text of a file; undefined if it does not exist. */
export async function readTextIfThere(path: string, signal?: AbortSignal): Promise<string | undefined> {
  try {
    return await readFile(path, { encoding: "utf8", ...(signal === undefined ? {} : { signal }) });
  } catch (reason) {
    if (reason instanceof Error && "code" in reason && reason.code === "ENOENT") return undefined;
    if (signal?.aborted === true) throw reason;
    throw new FlotillaError("UNAVAILABLE", `${path} cannot be read`, { cause: reason });
  }
}

const identityFiles: IdentityFiles = {
  read: readTextIfThere,
  async write(path, text, mode) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(path, { force: true }); // an earlier one may have another mode
    await using file = await open(path, "wx", mode);
    await file.writeFile(text);
    await file.sync();
  },
  async rename(from, to) {
    await rename(from, to);
    await using folder = await open(dirname(to), "r");
    await folder.sync();
  },
};

/** Calls Join over a transport without an access token; the join token is the credential. */
export function createJoinPort(transport: HubTransport): JoinPort {
  const client = createClient(SessionService, transport);
  return async (request, signal) => {
    const { clusterId, hubName, isPending } = await client.join(
      { ...request, metadata: { ...request.metadata, labels: { ...request.metadata.labels } } },
      { signal },
    );
    return { clusterId, hubName, isPending };
  };
}
