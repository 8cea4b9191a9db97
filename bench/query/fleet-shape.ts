// SPDX-License-Identifier: Apache-2.0
// The fleet of bench/query.ts: its clusters and namespaces, and what its user may see of them.
import { createSubject, type Subject } from "../../src/model/subject.ts";

/** A cluster of the fleet. */
export interface ShapedCluster {
  readonly number: number;
  readonly name: string;
  readonly environment: string;
  readonly region: string;
  /** The user sees every row of it, by a ClusterRoleBinding. */
  readonly isWhole: boolean;
  /** The namespaces that the user sees by RoleBindings; none of a whole cluster. */
  readonly seenNamespaces: readonly string[];
}

export interface FleetShape {
  readonly rowsPerCluster: number;
  /** The same names in every cluster. */
  readonly namespaces: readonly string[];
  readonly clusters: readonly ShapedCluster[];
}

/** The size that the promise is about. */
export const fullRowCount = 5_000_000;

const clusterCount = 300;
const fullNamespaceCount = 2_000;
const wholeClusterCount = 180;
const fullSeenNamespaceCount = 20_000;

/** The moment of all queries. Ages of rows are relative to it, so that every run asks about the same rows. */
export const nowMs = Date.UTC(2026, 0, 15, 12);

/** The user whose queries are measured. */
export const benchUser: Subject = createSubject({ user: "dana@example.com", groups: ["platform-readers"] });

export const teams: readonly string[] = (
  "checkout cart search billing ledger media auth catalog mail risk " +
  "pricing orders shipping returns loyalty ads recs fraud geo data"
).split(" ");
const areas = ["core", "edge", "batch", "etl", "portal", "mobile", "partner", "labs", "ops", "legacy"];
const regions = ["eu-west-1", "eu-central-1", "us-east-1", "us-west-2", "ap-south-1", "ap-northeast-1"];

/** The team of a namespace. */
export function teamOf(namespaceNumber: number): string {
  return teams[namespaceNumber % teams.length] ?? "";
}

/** A fleet of 300 clusters. With fewer rows it has fewer namespaces; the user sees the same share of it. */
export function createFleetShape(rowCount: number): FleetShape {
  const share = rowCount / fullRowCount;
  const namespaceCount = Math.max(40, Math.round(fullNamespaceCount * share));
  const namespaces = Array.from({ length: namespaceCount }, (_, at) => {
    const round = Math.floor(at / teams.length);
    return `${teamOf(at)}-${areas[round % areas.length]}-${Math.floor(round / areas.length)}`;
  });
  const wholes = Array.from({ length: clusterCount }, (_, at) => isWholeCluster(at));
  const seenPerCluster = (fullSeenNamespaceCount * share) / (clusterCount - wholeClusterCount);
  let partialCount = 0;
  const clusters = wholes.map((isWhole, number) => {
    const [from, to] = [partialCount * seenPerCluster, (partialCount + 1) * seenPerCluster].map(Math.floor);
    if (!isWhole) partialCount += 1;
    const seenCount = isWhole ? 0 : Math.min(namespaceCount, (to ?? 0) - (from ?? 0));
    return { ...nameCluster(number), number, isWhole, seenNamespaces: spread(namespaces, seenCount, number) };
  });
  return { rowsPerCluster: Math.round(rowCount / clusterCount), namespaces, clusters };
}

/** 180 of the 300 clusters, of every region and environment. */
function isWholeCluster(number: number): boolean {
  return (number * 7_919 + 13) % clusterCount < wholeClusterCount;
}

function nameCluster(number: number): Pick<ShapedCluster, "name" | "environment" | "region"> {
  const environment = number % 10 < 6 ? "prod" : number % 10 < 8 ? "staging" : "dev";
  const region = regions[Math.floor(number / 10) % regions.length] ?? "";
  return { name: `${environment}-${region}-${String(number).padStart(3, "0")}`, environment, region };
}

/** So many of these texts at equal distances, the first one by `from`. */
function spread(texts: readonly string[], count: number, from: number): readonly string[] {
  const step = Math.max(1, Math.floor(texts.length / Math.max(1, count)));
  return Array.from({ length: count }, (_, at) => texts[(from + at * step) % texts.length] ?? "");
}
