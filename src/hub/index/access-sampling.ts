// SPDX-License-Identifier: Apache-2.0
import { listScope } from "../../index/access/resource-scope.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { requestsFor } from "../../rbac/visibility-requests.ts";
import { type AccessSample, isReviewable, type SampledRequest } from "../../session/access-samples/access-sample.ts";
import { answerRequest, toAccessSample } from "../../session/access-samples/answer-request.ts";
import type { FleetAccess } from "./fleet-access.ts";

/** Random numbers in [0, 1) that one sample takes: for the user, the kind, the row and the request. */
export const drawsPerSample = 4;

/** Draws requests of users that asked lately about objects of a cluster, visible or not, and answers such requests. */
export class AccessSampling {
  readonly #tables: FleetTables;
  readonly #access: FleetAccess;

  constructor(tables: FleetTables, access: FleetAccess) {
    this.#tables = tables;
    this.#access = access;
  }

  /** One sample for each `drawsPerSample` numbers; fewer if no user has asked, or if a request may not be reviewed. */
  draw(cluster: string, draws: readonly number[]): readonly AccessSample[] {
    const samples: AccessSample[] = [];
    for (let at = 0; at + drawsPerSample <= draws.length; at += drawsPerSample) {
      const sample = this.#drawOne(cluster, draws.slice(at, at + drawsPerSample));
      if (sample !== undefined && isReviewable(sample)) samples.push(sample);
    }
    return samples;
  }

  answer(cluster: string, requests: readonly SampledRequest[]): readonly boolean[] {
    const policy = this.#access.clusterGrants(cluster).clusterPolicy();
    return requests.map((request) => answerRequest(policy, request));
  }

  #drawOne(cluster: string, draws: readonly number[]): AccessSample | undefined {
    const [userDraw = 0, kindDraw = 0, rowDraw = 0, requestDraw = 0] = draws;
    const subject = pick(this.#access.recentSubjects(), userDraw);
    const [resource, table] = pick([...(this.#tables.get(cluster)?.tables ?? [])], kindDraw) ?? [];
    if (subject === undefined || resource === undefined || table === undefined || table.count === 0) return undefined;
    const row = Math.floor(rowDraw * table.count);
    const { texts } = table.cluster;
    const object = {
      namespace: texts.get(table.cluster.namespaceText(table.namespaces.values[row] ?? 0)),
      name: texts.get(table.names.values[row] ?? 0),
    };
    const request = pick(requestsFor(listScope(resource), object), requestDraw);
    const policy = this.#access.clusterGrants(cluster).clusterPolicy();
    return request && toAccessSample(policy, this.#access.clusterSubject(cluster, subject), request);
  }
}

function pick<Value>(values: readonly Value[], draw: number): Value | undefined {
  return values[Math.floor(draw * values.length)];
}
