// SPDX-License-Identifier: Apache-2.0
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { connectionWords, shownState } from "../../words/connection-words.ts";

/** A field for grouping, sorting and filtering: one of the hub's, or `label:NAME`. */
export type FleetField = string;

/** The fields of every cluster, in the order of the menus. */
export const fleetFields = ["state", "region", "environment", "kubernetes", "agent", "version", "source"] as const;

/** A cluster's value of a field; "" if it has none. */
export function fieldOf(cluster: FleetCluster, field: FleetField): string {
  switch (field) {
    case "state":
      return connectionWords(shownState(cluster.connection)).word;
    case "region":
      return cluster.region;
    case "environment":
      return cluster.environment;
    case "kubernetes":
      return cluster.kubernetesVersion;
    case "agent":
      return cluster.agentVersion;
    case "version":
      return cluster.version;
    case "source":
      return cluster.source;
    default:
      return field.startsWith("label:") ? (cluster.labels[field.slice("label:".length)] ?? "") : "";
  }
}

/**
 * Parses a filter. Words are joined by "and": `field:value` (or `label:NAME:value`) matches the beginning of a field, a
 * leading `-` negates a word, and any other word is searched in the cluster's name and label values.
 */
export function createFleetFilter(text: string): (cluster: FleetCluster) => boolean {
  const tests = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "-")
    .map((word) => (word.startsWith("-") ? not(wordTest(word.slice(1))) : wordTest(word)));
  return (cluster) => tests.every((test) => test(cluster));
}

type Test = (cluster: FleetCluster) => boolean;

function not(test: Test): Test {
  return (cluster) => !test(cluster);
}

function wordTest(word: string): Test {
  const at = word.lastIndexOf(":");
  const field = word.slice(0, at);
  const isField = field.startsWith("label:") || fleetFields.some((known) => known === field);
  if (at > 0 && isField) {
    const wanted = spaced(word.slice(at + 1));
    return (cluster) => spaced(fieldOf(cluster, field).toLowerCase()).startsWith(wanted);
  }
  return ({ id, labels }) =>
    id.includes(word) || Object.values(labels).some((value) => value.toLowerCase().includes(word));
}

/** A value of several words is written with dashes: `state:catching-up`. */
function spaced(text: string): string {
  return text.replaceAll("-", " ");
}

/** The filter word for a field value. */
export function filterWord(field: FleetField, value: string): string {
  return `${field}:${value.toLowerCase().replaceAll(" ", "-")}`;
}
