// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { type KindList, KindListSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { toKinds } from "../../fleet-services/cluster-message.ts";
import type { FleetParts } from "../../fleet-services/fleet-parts.ts";
import type { ClusterSummary } from "../../rows/fleet-reader.ts";
import { toInstant } from "./fleet-cluster-message.ts";

/** The kinds of a cluster, with a fingerprint that does not change with time alone, unlike the ages in the list. */
export interface KindsPart {
  readonly fingerprint: string;
  readonly list: KindList;
}

/** Every kind that has rows or that the agent reported. */
export function toKindsPart(parts: FleetParts, id: string, summary: ClusterSummary): KindsPart {
  const { details, health, clock } = parts;
  const nowMs = clock.nowMs();
  const reported = details.kindsOf(id);
  const freshness = new Map(health.kinds(parseClusterId(id)).map((each) => [each.resource, each]));
  const kinds = toKinds(parts, id, summary);
  const currentResources: string[] = [];
  const fingerprint = kinds.map((kind) => {
    const { resource, state, version, rowCount, fault, verb, error, refusedCount, refusedError, leftOutCount } = kind;
    const detail = reported.get(resource);
    const fresh = freshness.get(resource);
    if (fresh?.isCurrent === true) currentResources.push(resource);
    const sinceMs = detail === undefined ? 0 : Math.round(detail.heardMs - detail.facts.sinceMsAgo);
    const asOf = fresh?.ageMs === undefined ? "" : fresh.isCurrent ? "now" : Math.round(nowMs - fresh.ageMs);
    const counts = [String(rowCount), refusedCount, String(leftOutCount), kind.unhealthyCount, kind.degradedCount];
    return [resource, kind.kind, state, version, ...counts, fault, verb, error, refusedError, sinceMs, asOf];
  });
  const list = create(KindListSchema, { kinds, atMs: toInstant(nowMs), currentResources });
  return { fingerprint: JSON.stringify(fingerprint), list };
}
