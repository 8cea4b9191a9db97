// SPDX-License-Identifier: Apache-2.0
// The rows that a cluster should have at the hub: a direct list of its API server, projected here.
import { defaultKinds, derivedKinds } from "../../../src/kinds/all-kinds.ts";
import { eventKind } from "../../../src/kinds/event-kind.ts";
import { EventWindow } from "../../../src/kinds/event-window.ts";
import { listOf, textOf } from "../../../src/kinds/fields.ts";
import { meshFacts } from "../../../src/kinds/istio/control-plane.ts";
import type { ClusterFacts, Kind } from "../../../src/kinds/kind.ts";
import { deriveRow, projectRow } from "../../../src/kinds/project-row.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import type { RowContent } from "../../../src/model/rows/row.ts";
import type { KubeClient } from "../../kubernetes/kube-client.ts";

/**
 * Rows by `resource namespace/name`, each as `flotilla cluster rows` prints it but for its resourceVersion: that is the
 * one at which the content was first read (CO42), and a list tells a later one where an update changed nothing that is
 * projected.
 */
export type RowsByKey = Readonly<Record<string, unknown>>;

/** Every row that the objects of the cluster give now, of the kinds that an agent collects by default. */
export async function listDirectly(client: KubeClient, kinds: readonly Kind[] = defaultKinds): Promise<RowsByKey> {
  const listed = await Promise.all(kinds.map(async (kind) => ({ kind, objects: await listKind(client, kind) })));
  const derived = derivedKinds.map((kind) => {
    const from = listed.find((each) => resourceIdText(each.kind.resource) === resourceIdText(kind.from));
    const observation = { facts: meshFacts([]), terminatingForMs: 0 };
    const rows = (from?.objects ?? []).flatMap((object) => deriveRow(kind, object, observation) ?? []);
    return { kind, rows };
  });
  const facts = meshFacts(derived.flatMap(({ rows }) => rows));
  const own = listed.map(({ kind, objects }) => ({ kind, rows: projectAll(kind, objects, facts) }));
  return Object.fromEntries(
    [...own, ...derived].flatMap(({ kind, rows }) => {
      const resource = resourceIdText(kind.resource);
      return rows.map((row) => [keyOf(resource, row), toPlain(resource, kind.kind, row)]);
    }),
  );
}

/** The objects of the best version that the server has; none where it has none of the versions. */
async function listKind(client: KubeClient, { resource, versions }: Kind): Promise<readonly unknown[]> {
  for (const version of versions) {
    const prefix = resource.group === "" ? `/api/${version}` : `/apis/${resource.group}/${version}`;
    const objects = await listPages(client, `${prefix}/${resource.resource}`);
    if (objects !== undefined) return objects;
  }
  return [];
}

/** Objects of one answer: what the client takes, also where each is large. */
const pageSize = 50;

/** Every object of a list; undefined where the server does not have that resource. */
async function listPages(client: KubeClient, path: string): Promise<readonly unknown[] | undefined> {
  const objects: unknown[] = [];
  let token = "";
  do {
    const { status, body } = await client.send(
      "GET",
      `${path}?limit=${pageSize}&continue=${encodeURIComponent(token)}`,
    );
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`a list of ${path} was answered ${status}`);
    objects.push(...listOf(body, "items"));
    token = textOf(body, "metadata", "continue") ?? "";
  } while (token !== "");
  return objects;
}

function projectAll(kind: Kind, objects: readonly unknown[], facts: ClusterFacts): readonly RowContent[] {
  if (kind !== eventKind) return objects.map((object) => projectRow(kind, object, { facts, terminatingForMs: 0 }));
  const window = new EventWindow();
  for (const object of objects) window.apply(object, 0);
  return window.rows();
}

/** The key under which rows are compared. */
export function keyOf(
  resource: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${resource} ${namespace}/${name}`;
}

function toPlain(resource: string, kind: string, row: RowContent): unknown {
  const { createdAt, deletedAt, labels, annotations, owner, columns, ...same } = row;
  return toCompared({
    resource,
    kind,
    ...same,
    createdAt: createdAt === 0 ? null : new Date(createdAt).toISOString(),
    deletedAt: deletedAt === undefined ? null : new Date(deletedAt).toISOString(),
    labels: Object.fromEntries(labels),
    annotations: Object.fromEntries(annotations),
    owner: owner ?? null,
    columns: Object.fromEntries(columns),
  });
}

/**
 * What of a printed row is compared: all but its resourceVersion, and but the status of a set without a ready Pod,
 * which is judged by how long its agent has seen it so (KI20). Elements of JSON columns are compared as text.
 */
export function toCompared(row: Readonly<Record<string, unknown>>): unknown {
  const leftOut = isWithoutReadyPod(row) ? ["resourceVersion", "status", "reason", "message"] : ["resourceVersion"];
  const compared = Object.fromEntries(Object.entries(row).filter(([name]) => !leftOut.includes(name)));
  return { ...compared, columns: mapObject(row["columns"], toElementTexts) };
}

function mapObject(value: unknown, map: (value: unknown) => unknown): unknown {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, each]: [string, unknown]) => [name, map(each)]));
}

function toElementTexts(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((element: unknown) => (typeof element === "object" ? JSON.stringify(element) : element));
}

function isWithoutReadyPod({ resource, columns }: Readonly<Record<string, unknown>>): boolean {
  const isSet = resource === "apps/statefulsets" || resource === "apps/daemonsets";
  return isSet && typeof columns === "object" && columns !== null && "ready" in columns && columns.ready === 0;
}
