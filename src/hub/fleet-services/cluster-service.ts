// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { type Cluster, ClusterService, type UpdateClusterRequest } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { ClusterMetadataSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { assertClusterLabels } from "../../model/cluster-labels.ts";
import { matchesLabels } from "../../model/selectors/label-selector.ts";
import { parseLabelSelector } from "../../model/selectors/label-selector-parse.ts";
import { quote } from "../../model/text.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { callerOf, callOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { parseMetadata } from "../../session/hub/parse-metadata.ts";
import { createViewerAccess, type ViewerAccess } from "../access/viewer-access.ts";
import { actorOf } from "../audit/actor-of.ts";
import type { Actor } from "../audit/audit-record.ts";
import { withoutKeys, withPause, withReplacement } from "../clusters/cluster-changes.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import { clusterNotFound } from "../clusters/cluster-registry.ts";
import type { ClusterImports } from "../imports/cluster-imports.ts";
import { loadSessions, toClusterMessage } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";
import { retryCluster } from "./retry-cluster.ts";
import { watchClusters } from "./watch-clusters.ts";

/** ClusterService over the fleet. Callers see what the same user sees on the page (L17). */
export function createClusterService(
  parts: FleetParts,
  imports: ClusterImports,
  authorizer: CallAuthorizer,
): ServiceEntry {
  const { fleet } = parts;
  const accessOf = ({ values }: HandlerContext): ViewerAccess =>
    createViewerAccess(authorizer, callerOf(values).subject, callOf(values).log);
  return serviceEntry(ClusterService, {
    async listClusters({ selector }, context) {
      return { clusters: await listClusters(parts, createFilter(selector), accessOf(context)) };
    },

    async getCluster({ id }, context) {
      return { cluster: await describe(parts, await loadRecord(parts, id), accessOf(context)) };
    },

    async *watchClusters({ selector }, context) {
      yield* watchClusters(parts, { isWanted: createFilter(selector), access: accessOf(context) }, context.signal);
    },

    async updateCluster(request, context) {
      const record = await updateCluster(parts, request, actorOf(context.values));
      return { cluster: await describe(parts, record, accessOf(context)) };
    },

    async retryCluster({ id }) {
      return retryCluster(parts, await loadRecord(parts, id));
    },

    async removeCluster({ id }, { values }) {
      await imports.forget(id); // first: after a crash a cluster without a credential remains, which can be removed again
      if (!(await fleet.removeCluster(id, actorOf(values)))) throw clusterNotFound(id);
      return {};
    },

    async importCluster({ id, kubeconfig, region, environment, labels, isCheck }, context) {
      const metadata = parseMetadata(create(ClusterMetadataSchema, { region, environment, labels }));
      if (isCheck) {
        await imports.check(id, kubeconfig);
        return {};
      }
      const record = await imports.importCluster(
        { id, kubeconfig, ...metadata },
        context.signal,
        actorOf(context.values),
      );
      const { detail: unreached = "" } = (await imports.loadUnreached(record.id)) ?? {};
      return { cluster: await describe(parts, record, accessOf(context)), unreached };
    },

    async rotateKey({ id, revoke }, { values }) {
      await loadRecord(parts, id);
      const { text } = await fleet.clusterRegistration.joinTokens.createRotation(id, actorOf(values));
      if (revoke) await fleet.clusters.update(id, withoutKeys, actorOf(values));
      return { joinToken: text };
    },
  });
}

/** Every matching cluster that the caller may see, sorted by id. */
export async function listClusters(
  parts: FleetParts,
  isWanted: (record: ClusterRecord) => boolean,
  access: ViewerAccess,
): Promise<Cluster[]> {
  const sessions = await loadSessions(parts);
  const clusters: Cluster[] = [];
  for (const record of parts.fleet.clusters.list().toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (!isWanted(record) || !access.canSeeCluster(record.id)) continue;
    const summary = await parts.fleet.reader.summarize(access.subject, record.id);
    clusters.push(toClusterMessage(parts, record, { sessions, summary }));
  }
  return clusters;
}

/**
 * Parses a selector over labels and metadata, so that `environment=staging` needs no label (N-32). Throws
 * INVALID_ARGUMENT.
 */
export function createFilter(selector: string): (record: ClusterRecord) => boolean {
  const parsed = parseLabelSelector(selector);
  return ({ metadata, labels }) => {
    const { region, environment, version } = metadata;
    const named = Object.entries({ region, environment, version }).filter(([, value]) => value !== "");
    return matchesLabels(parsed, new Map([...named, ...metadata.labels, ...labels]));
  };
}

async function describe(parts: FleetParts, record: ClusterRecord, access: ViewerAccess): Promise<Cluster> {
  const sessions = await loadSessions(parts);
  const summary = await parts.fleet.reader.summarize(access.subject, record.id);
  return toClusterMessage(parts, record, { sessions, summary });
}

async function loadRecord({ fleet }: FleetParts, id: string): Promise<ClusterRecord> {
  const record = await fleet.clusters.load(id);
  if (record === undefined) throw clusterNotFound(id);
  return record;
}

async function updateCluster(
  { fleet, details, clock }: FleetParts,
  request: UpdateClusterRequest,
  by: Actor,
): Promise<ClusterRecord> {
  const { id, isPaused, setLabels, removeLabels, approve, acceptReplacementUid } = request;
  const pause = { by: by.user, atMs: clock.wallMs() };
  const change = (record: ClusterRecord): ClusterRecord => {
    const labels = new Map([...record.labels, ...Object.entries(setLabels)]);
    for (const key of removeLabels) labels.delete(key);
    assertClusterLabels(labels);
    const isReplaced = acceptReplacementUid !== "" && acceptReplacementUid !== record.clusterUid;
    if (isReplaced) checkRefused(id, acceptReplacementUid, details.refusedUidsOf(id));
    const labelled = { ...record, labels, isApproved: record.isApproved || approve };
    const paused = isPaused === undefined ? labelled : withPause(labelled, isPaused ? pause : undefined);
    return isReplaced ? withReplacement(paused, acceptReplacementUid) : paused;
  };
  return fleet.clusters.update(id, change, by);
}

/**
 * Throws for a uid that no agent with the cluster's key has presented: accepting it would only disconnect the present
 * agent (SE7).
 */
function checkRefused(id: string, uid: string, refused: readonly string[]): void {
  if (refused.includes(uid)) return;
  const found = refused.length === 0 ? "none was" : `refused were ${refused.map((each) => quote(each)).join(", ")}`;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `no agent of a cluster with uid ${quote(uid)} was refused as ${id}: ${found}; start the agent of the new cluster first, \`flotilla cluster get ${id}\` then shows its uid`,
  );
}
