// SPDX-License-Identifier: Apache-2.0
import { badRequest } from "../../apiserver/status/api-error.ts";
import { maxQueryLength } from "../../index/language/parse-query.ts";
import { printQuery } from "../../index/language/print-query.ts";
import type { QuerySyntax } from "../../index/language/query-syntax.ts";
import { type FieldSelector, matchesFields } from "../../model/selectors/field-selector.ts";
import type { LabelSelector } from "../../model/selectors/label-selector.ts";
import type { FoundFleetRow } from "../rows/fleet-queries.ts";
import { allOf, hasName, isNamed, isOneOf } from "./row-conditions.ts";
import { fieldCondition, isKeyField } from "./selectable-fields.ts";
import { isClusterLabel, labelCondition } from "./selected-labels.ts";

/** The rows that a request is about. */
export interface RowsAsked {
  /** The text of the resource id. */
  readonly resource: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /** The name of one object, possibly with its cluster; undefined for all. */
  readonly name?: string | undefined;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

/** The key of a row within its resource. */
export interface RowPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** The selected rows as a query. */
export interface FleetSelection {
  readonly resource: string;
  readonly condition: QuerySyntax;
  /** The text of the condition. */
  readonly text: string;
  /** True if keys and clusters alone decide which rows are selected: a row never enters or leaves by a change. */
  readonly isByKey: boolean;
  /** False if the key alone shows that a row is not selected. Labels of clusters are not considered. */
  canHave(place: RowPlace): boolean;
}

/** One text for a key: clusters and namespaces have no slash. */
export function keyTextOf({ cluster, namespace, name }: RowPlace): string {
  return `${cluster}/${namespace}/${name}`;
}

/** The same of a row. */
export function keyOfRow({ cluster, row: { namespace, name } }: FoundFleetRow): string {
  return keyTextOf({ cluster, namespace, name });
}

/** Translates a request to a query that selects the same rows (FA7, FA8). Throws 400 for selectors that rows lack. */
export function selectRows(asked: RowsAsked): FleetSelection {
  const { resource, namespace, name, labels, fields } = asked;
  const condition = allOf([
    isOneOf("kind", [resource]),
    ...(namespace === undefined ? [] : [isOneOf("namespace", [namespace])]),
    ...(name === undefined ? [] : [isNamed(name)]),
    ...labels.map(labelCondition),
    ...fields.map((requirement) => fieldCondition(resource, requirement)),
  ]);
  const ofKey = fields.filter(({ field }) => isKeyField(field));
  return {
    resource,
    condition,
    text: queryText(condition),
    isByKey: ofKey.length === fields.length && labels.every(({ key }) => isClusterLabel(key)),
    canHave: (place) =>
      (namespace === undefined || place.namespace === namespace) &&
      (name === undefined || hasName(name, place)) &&
      ofKey.every((requirement) => holdsForKey(requirement, place)),
  };
}

/** The text of a condition. Throws 400 if it is longer than a query may be. */
export function queryText(condition: QuerySyntax): string {
  const text = printQuery(condition);
  if (text.length > maxQueryLength)
    throw badRequest(
      `the selectors are too long: as a query they have ${text.length} characters, of ${maxQueryLength}`,
    );
  return text;
}

function holdsForKey(requirement: FieldSelector[number], place: RowPlace): boolean {
  if (requirement.field === "metadata.name")
    return hasName(requirement.value, place) === (requirement.operator === "equals");
  return matchesFields([requirement], (field) => (field === "cluster" ? place.cluster : place.namespace));
}
