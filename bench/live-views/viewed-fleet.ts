// SPDX-License-Identifier: Apache-2.0
// A fleet in an index of this thread: clusters of the same rows, users who see a few namespaces of each, and flushes.
import { plainCodec } from "../../src/hub/fleet/testing/test-fleet.ts";
import { FleetIndex } from "../../src/hub/index/fleet-index.ts";
import { resourceOf, rowOfObject } from "../../src/index/access/testing/rbac-sample-rows.ts";
import { defaultClusterLimits } from "../../src/index/fold/cluster-size.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { parseResourceId } from "../../src/model/gvr.ts";
import { encodeRowBatch, type RowBatchContent } from "../../src/model/row-batch/encode.ts";
import type { Hasher } from "../../src/model/rows/hasher.ts";
import { type ColumnSpec, type RowContent, toResourceVersion } from "../../src/model/rows/row.ts";
import { RowSealer } from "../../src/model/rows/row-sealer.ts";
import type { RbacObject } from "../../src/rbac/rbac-types.ts";
import { createFleetRows } from "../support/fleet-rows.ts";
import type { ThreadClock } from "./thread-clock.ts";

/** Members see every row. */
export const ownerGroup = "owners";

/** Namespaces that each other user sees in each cluster. */
const namespacesPerUser = 5;

const rbacColumns: readonly ColumnSpec[] = [
  { name: "rules", type: "stringList" },
  { name: "subjects", type: "stringList" },
  { name: "roleGroup", type: "string" },
  { name: "roleKind", type: "string" },
  { name: "roleName", type: "string" },
];

export interface ViewedFleetOptions {
  readonly hasher: Hasher;
  readonly clock: ThreadClock;
  readonly clusterCount: number;
  readonly appCount: number;
  readonly users: readonly string[];
  readonly rowsPerFlush: number;
}

export class ViewedFleet {
  readonly #options: ViewedFleetOptions;
  readonly index: FleetIndex;
  readonly clusters: readonly string[];
  readonly #contents: readonly RowBatchContent[];
  #flushes: readonly Uint8Array[] = [];
  #position = 0;

  constructor(options: ViewedFleetOptions) {
    const { hasher, clock, clusterCount, appCount } = options;
    this.#options = options;
    this.index = new FleetIndex({
      codec: plainCodec,
      hasher,
      limits: defaultClusterLimits,
      pause: clock.pause,
      clock,
      cursorKey: new Uint8Array(32),
    });
    this.clusters = Array.from({ length: clusterCount }, (_, at) => `cluster-${String(at).padStart(3, "0")}`);
    this.#contents = createFleetRows(hasher, appCount);
  }

  get rowCount(): number {
    return this.#contents.reduce((sum, { rows }) => sum + rows.length, 0) * this.clusters.length;
  }

  /** Folds the rows and the RBAC objects of every cluster. */
  async load(): Promise<void> {
    const { hasher } = this.#options;
    const batches = [...this.#contents, ...this.#createGrants()];
    const sent = await Promise.all(
      batches.map(async (content) => ({
        resource: resourceText(content),
        replacedBucket: 0,
        bytes: await plainCodec.compress(encodeRowBatch(content, hasher)),
      })),
    );
    for (const cluster of this.clusters) {
      await this.index.setFields(cluster, { cluster, region: "eu", environment: "prod" });
      await this.#fold(cluster, sent);
      await this.index.setRbacComplete(cluster, true);
      await this.index.setOwnerGroup(cluster, ownerGroup);
    }
    this.#flushes = await this.#createFlushes();
  }

  /** Makes the changes of one flush visible. */
  async flush(serial: number): Promise<void> {
    const cluster = this.clusters[serial % this.clusters.length] ?? "";
    const bytes = this.#flushes[Math.floor(serial / this.clusters.length) % this.#flushes.length];
    if (bytes !== undefined) await this.#fold(cluster, [{ resource: "pods", replacedBucket: 0, bytes }]);
  }

  async #fold(cluster: string, sent: Parameters<FleetIndex["prepare"]>[1]): Promise<void> {
    this.#position += 1;
    const outcome = await this.index.prepare(cluster, sent);
    if (outcome.kind === "refused") throw new Error(outcome.refusal.detail);
    const wallMs = this.#options.clock.wallMs();
    await this.index.commit(cluster, { position: this.#position, receivedAtMs: wallMs });
  }

  /** Flushes of Pods that change their status and their restarts. The second half changes those of the first again. */
  async #createFlushes(): Promise<readonly Uint8Array[]> {
    const { hasher, rowsPerFlush } = this.#options;
    const [pods] = this.#contents;
    if (pods === undefined) return [];
    const sealer = new RowSealer(parseClusterId("prod-east"), pods.resource, hasher);
    return Promise.all(
      Array.from({ length: 80 }, async (_, serial) => {
        const rows = Array.from({ length: rowsPerFlush }, (__, at) => {
          const row = pods.rows[((serial % 40) * 7_919 + at * 104_729) % pods.rows.length];
          if (row === undefined) throw new Error("there are no Pods");
          const isSick = (Math.floor(serial / 40) + at) % 2 === 0;
          return sealer.seal({
            ...row,
            resourceVersion: toResourceVersion(String(900_000_000 + serial)),
            status: isSick ? "unhealthy" : "healthy",
            reason: isSick ? "CrashLoopBackOff" : "",
            columns: new Map([...row.columns, ["restarts", serial]]),
          });
        });
        const distinct = new Map(rows.map((row) => [`${row.namespace}/${row.name}`, row]));
        return plainCodec.compress(encodeRowBatch({ ...pods, rows: [...distinct.values()] }, hasher));
      }),
    );
  }

  #createGrants(): readonly RowBatchContent[] {
    const { users } = this.#options;
    const namespaces = [...new Set(this.#contents[0]?.rows.map(({ namespace }) => namespace))].sort();
    const resources = ["pods", "deployments", "services"];
    const rule = {
      verbs: ["get", "list", "watch"],
      apiGroups: ["*"],
      resources,
      resourceNames: [],
      nonResourceURLs: [],
    };
    const role: RbacObject = { kind: "ClusterRole", namespace: "", name: "viewer", rules: [rule] };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "viewer" };
    const bindings = users.flatMap((user, serial) =>
      Array.from({ length: namespacesPerUser }, (_, at): RbacObject => {
        const namespace = namespaces[(serial * namespacesPerUser + at) % namespaces.length] ?? "";
        const subjects = [{ kind: "User" as const, name: user, namespace: "" }];
        return { kind: "RoleBinding", namespace, name: `${user}-viewer`, subjects, roleRef };
      }),
    );
    return [this.#toBatch([role]), this.#toBatch(bindings)];
  }

  #toBatch(objects: readonly RbacObject[]): RowBatchContent {
    const [first] = objects;
    if (first === undefined) throw new Error("a batch has objects");
    const resource = parseResourceId(resourceOf(first));
    const sealer = new RowSealer(parseClusterId("prod-east"), resource, this.#options.hasher);
    const rows = objects.map((object) => sealer.seal({ ...emptyContent, ...rowOfObject(object) }));
    return { resource, kind: first.kind, columns: rbacColumns, rows, deletes: [] };
  }
}

const emptyContent: RowContent = {
  namespace: "",
  name: "",
  uid: "",
  resourceVersion: toResourceVersion("1"),
  generation: 1,
  createdAt: 0,
  status: "healthy",
  reason: "",
  message: "",
  labels: new Map(),
  annotations: new Map(),
  columns: new Map(),
};

function resourceText({ resource: { group, resource } }: RowBatchContent): string {
  return group === "" ? resource : `${group}/${resource}`;
}
