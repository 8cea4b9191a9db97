// SPDX-License-Identifier: Apache-2.0
// The rows of the fleet as a table of SQL databases. Labels and the numbers of kinds are columns of their own, which
// makes their queries as fast as they can be.

import { resourceIdText } from "../../src/model/gvr.ts";
import type { RowBatchContent } from "../../src/model/row-batch/encode.ts";
import type { Row } from "../../src/model/rows/row.ts";
import type { ShapedCluster } from "./fleet-shape.ts";

/** The columns in the order of a line. `scope` is the namespace in which RBAC looks for RoleBindings. */
export const sqlColumns = [
  { name: "cluster", type: "text" },
  { name: "environment", type: "text" },
  { name: "resource", type: "text" },
  { name: "namespace", type: "text" },
  { name: "name", type: "text" },
  { name: "scope", type: "text" },
  { name: "uid", type: "text" },
  { name: "status", type: "text" },
  { name: "reason", type: "text" },
  { name: "message", type: "text" },
  { name: "created", type: "bigint" },
  { name: "label_app", type: "text" },
  { name: "label_team", type: "text" },
  { name: "label_env", type: "text" },
  { name: "label_tier", type: "text" },
  { name: "owner", type: "text" },
  { name: "restarts", type: "integer" },
  { name: "replicas", type: "integer" },
  { name: "available", type: "integer" },
  { name: "event_count", type: "integer" },
] as const;

/** No value. */
export const nullText = "\\N";

/** The rows of a batch as lines of values with tabs between them. No value of the fleet has a tab, `\` or line end. */
export function* toSqlLines(cluster: ShapedCluster, { resource, rows }: RowBatchContent): Iterable<string> {
  const resourceText = resourceIdText(resource);
  for (const row of rows) yield `${valuesOf(cluster, resourceText, row).join("\t")}\n`;
}

function valuesOf(cluster: ShapedCluster, resource: string, row: Row): readonly (string | number)[] {
  const own = (name: string): string | number => {
    const value = row.columns.get(name);
    return typeof value === "number" ? value : nullText;
  };
  return [
    cluster.name,
    cluster.environment,
    resource,
    row.namespace,
    row.name,
    resource === "namespaces" ? row.name : row.namespace,
    row.uid,
    row.status,
    row.reason,
    row.message,
    row.createdAt,
    ...["app", "team", "env", "tier"].map((key) => row.labels.get(key) ?? nullText),
    row.owner === undefined ? nullText : `${row.owner.kind}/${row.owner.name}`,
    ...["restarts", "replicas", "available"].map(own),
    resource === "events" ? own("count") : nullText,
  ];
}
