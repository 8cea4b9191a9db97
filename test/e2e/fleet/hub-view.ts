// SPDX-License-Identifier: Apache-2.0
// What the hub says of its clusters, asked over its API: cheaper than a verb where a test looks again and again.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createClient, type Transport } from "@connectrpc/connect";
import { expect } from "vitest";
import { systemRandom } from "../../../src/base/system-random.ts";
import { systemClock } from "../../../src/base/time/system-clock.ts";
import { toRowObject } from "../../../src/cli/cluster/cluster-rows.ts";
import { type Cluster, ClusterService, RowService } from "../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { createHubTransport, type HubTransport } from "../../../src/rpc/client/client.ts";
import type { KubeClient } from "../../kubernetes/kube-client.ts";
import { keyOf, listDirectly, type RowsByKey, toCompared } from "./direct-rows.ts";
import { eventually } from "./eventually.ts";

/** Where a hub is, as `run.json` tells. */
export interface HubAddress {
  readonly hubUrl: string;
  readonly httpUrl: string;
  readonly caFile: string;
  readonly adminTokenFile: string;
}

/** A connection to a hub as its admin. Close it, or it stays. */
export class HubView {
  readonly #address: HubAddress;
  readonly #token: string;
  readonly #transport: HubTransport;

  constructor(address: HubAddress) {
    this.#address = address;
    this.#token = readFileSync(address.adminTokenFile, "utf8").trim();
    const { hubUrl: url, caFile } = address;
    this.#transport = createHubTransport({ url, caFile, token: this.#token, clock: systemClock, random: systemRandom });
  }

  /** The admin's. */
  get token(): string {
    return this.#token;
  }

  /** For calls that have no method here; as its admin. */
  get transport(): Transport {
    return this.#transport;
  }

  close(): void {
    this.#transport.close();
  }

  /** A route of the plain port, asked as the admin or with the headers given. */
  fetch(path: string, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
    const authorization = `Bearer ${this.#token}`;
    const options = signal === undefined ? {} : { signal };
    return fetch(`${this.#address.httpUrl}${path}`, { headers: { authorization, ...headers }, ...options });
  }

  async cluster(id: string): Promise<Cluster> {
    const { cluster } = await createClient(ClusterService, this.#transport).getCluster({ id });
    if (cluster === undefined) throw new Error(`the hub answered without ${id}`);
    return cluster;
  }

  async state(id: string): Promise<string> {
    return (await this.cluster(id)).connection?.state ?? "none";
  }

  /** Every row of a cluster, in the form of `RowsByKey`. */
  async rows(clusterId: string): Promise<RowsByKey> {
    const rows: Record<string, unknown> = {};
    for await (const message of createClient(RowService, this.#transport).listRows({ clusterId, resources: [] })) {
      for (const row of message.rows) rows[keyOf(row.resource, row)] = toCompared(toRowObject(row));
    }
    return rows;
  }

  async untilState(id: string, state: string): Promise<void> {
    await eventually(async () => {
      const { connection, kinds } = await this.cluster(id);
      const { reason, message, isFlapping } = connection ?? {};
      const failing = kinds
        .filter((kind) => kind.state === "failed")
        .map(({ resource, error }) => `${resource}: ${error}`);
      const why = JSON.stringify({ reason, message, isFlapping, failing });
      expect(connection?.state, why).toBe(state);
    });
  }

  /** Until the hub has the row of that key, or no longer has it. */
  async untilRow(id: string, key: string, isThere = true): Promise<void> {
    await eventually(async () => expect([key, Object.hasOwn(await this.rows(id), key)]).toEqual([key, isThere]));
  }

  /**
   * Until the cluster is live and the hub's rows equal a direct list, field by field. Both are read anew each time: a
   * cluster that lives moves on.
   */
  async untilEqual(id: string, client: KubeClient): Promise<RowsByKey> {
    await this.untilState(id, "live");
    let rows: RowsByKey = {};
    await eventually(async () => {
      rows = await this.rows(id);
      expect(differences(rows, await listDirectly(client))).toEqual([]);
    });
    return rows;
  }

  /** The sum of a counter over all its series of one cluster. */
  async counter(name: string, cluster: string): Promise<number> {
    const text = await this.#metrics();
    const lines = text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && line.includes(`cluster="${cluster}"`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  #metrics(): Promise<string> {
    return new Promise((done, fail) => {
      const headers = { authorization: `Bearer ${this.#token}` };
      const call = request(`${this.#address.httpUrl}/metrics`, { headers, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("end", () => done(text));
      });
      call.once("error", fail);
      call.end();
    });
  }
}

/**
 * The keys whose rows are not the same on both sides, with what differs; at most a handful, for a failure that can be
 * read.
 */
function differences(rows: RowsByKey, direct: RowsByKey): readonly string[] {
  const keys = new Set([...Object.keys(rows), ...Object.keys(direct)]);
  const different = [...keys].filter(
    (key) => JSON.stringify(sorted(rows[key])) !== JSON.stringify(sorted(direct[key])),
  );
  return different.slice(0, 5).map((key) => `${key}: ${JSON.stringify(rows[key])} != ${JSON.stringify(direct[key])}`);
}

/** The same value with the keys of its maps in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
