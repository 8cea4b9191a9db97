// SPDX-License-Identifier: Apache-2.0
import type { Predicate } from "../../index/language/query-predicate.ts";
import { createTextTest } from "../../index/scan/match-texts.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";

/** Whether a query selects rows of a cluster, as far as cluster, region and environment decide it. */
type Selects = "all" | "none" | "some";

/** Whether rows of a cluster can match. Its rows are not read. */
export function selectsCluster(predicate: Predicate, fields: ClusterFields): boolean {
  return judge(predicate, fields) !== "none";
}

function judge(predicate: Predicate, fields: ClusterFields): Selects {
  switch (predicate.kind) {
    case "all":
      return "all";
    case "and": {
      const parts = predicate.parts.map((part) => judge(part, fields));
      return parts.includes("none") ? "none" : parts.every((part) => part === "all") ? "all" : "some";
    }
    case "or": {
      const parts = predicate.parts.map((part) => judge(part, fields));
      return parts.includes("all") ? "all" : parts.every((part) => part === "none") ? "none" : "some";
    }
    case "not": {
      const inner = judge(predicate.of, fields);
      return inner === "some" ? "some" : inner === "all" ? "none" : "all";
    }
    case "field": {
      const { field, test } = predicate;
      if (field !== "cluster" && field !== "region" && field !== "environment") return "some";
      return createTextTest(test)(fields[field]) ? "all" : "none";
    }
    default:
      return "some";
  }
}

/** The resources of which rows can match; undefined for all. */
export function selectedResources(predicate: Predicate): ReadonlySet<string> | undefined {
  if (predicate.kind === "resources") return new Set(predicate.resources);
  if (predicate.kind === "and") {
    const limits = predicate.parts.map(selectedResources).filter((limit) => limit !== undefined);
    const [first] = limits;
    return first && limits.reduce((both, limit) => both.intersection(limit), first);
  }
  if (predicate.kind !== "or") return undefined;
  let all: ReadonlySet<string> = new Set();
  for (const part of predicate.parts) {
    const limit = selectedResources(part);
    if (limit === undefined) return undefined;
    all = all.union(limit);
  }
  return all;
}
