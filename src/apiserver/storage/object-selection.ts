// SPDX-License-Identifier: Apache-2.0
import { type FieldSelector, matchesFields } from "../../model/selectors/field-selector.ts";
import { type LabelSelector, matchesLabels } from "../../model/selectors/label-selector.ts";
import type { JsonObject } from "../json/json.ts";
import { quoteGo } from "../json/quote-go.ts";
import type { Resource } from "../resources/resource.ts";
import { badRequest } from "../status/api-error.ts";
import type { CachedObject } from "./cached-object.ts";

/** The objects of a resource that a list, watch or deletecollection selects. */
export class Selection {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** The only name that can match, if the path or the field selector names one. */
  readonly name: string | undefined;
  readonly #labels: LabelSelector;
  /** Conditions on fields other than name and namespace. */
  readonly #fields: FieldSelector;
  readonly #metaFields: FieldSelector;
  readonly #fieldsOf: (object: JsonObject) => Readonly<Record<string, string>>;

  /** Throws kube-apiserver's 400 for a field that the kind does not support. */
  constructor(
    resource: Resource,
    place: { readonly namespace: string | undefined; readonly name?: string },
    selectors: { readonly labels: LabelSelector; readonly fields: FieldSelector },
  ) {
    checkFields(resource, selectors.fields);
    this.namespace = place.namespace;
    this.#labels = selectors.labels;
    this.#metaFields = selectors.fields.filter(({ field }) => isMetaField(field));
    this.#fields = selectors.fields.filter(({ field }) => !isMetaField(field));
    const named = this.#metaFields.find(({ field, operator }) => field === "metadata.name" && operator === "equals");
    this.name = place.name ?? named?.value;
    this.#fieldsOf = resource.strategy.selectableFields ?? (() => ({}));
  }

  /** Whether a label or field selector is set. The remaining item count is then unknown. */
  get hasSelectors(): boolean {
    return this.#labels.length + this.#fields.length + this.#metaFields.length > 0;
  }

  /** Calls `parse` only for conditions on fields other than name and namespace. */
  matches(cached: CachedObject, parse: (cached: CachedObject) => JsonObject): boolean {
    const { namespace, name } = cached;
    if (this.namespace !== undefined && this.namespace !== namespace) return false;
    if (this.name !== undefined && this.name !== name) return false;
    if (!matchesFields(this.#metaFields, (field) => (field === "metadata.name" ? name : namespace))) return false;
    if (!matchesLabels(this.#labels, cached.labels)) return false;
    if (this.#fields.length === 0) return true;
    const values = this.#fieldsOf(parse(cached));
    return matchesFields(this.#fields, (field) => values[field]);
  }
}

function isMetaField(field: string): boolean {
  return field === "metadata.name" || field === "metadata.namespace";
}

function checkFields({ strategy, isCustom, storageId, facts }: Resource, fields: FieldSelector): void {
  const known = strategy.selectableFieldNames ?? [];
  const unknown = fields.find(({ field }) => !isMetaField(field) && !known.includes(field));
  if (unknown === undefined) return;
  if (storageId === "batch/jobs")
    throw badRequest(`field label ${quoteGo(unknown.field)} not supported for ${facts.kind}`);
  if (isCustom || known.length > 0) throw badRequest(`field label not supported: ${unknown.field}`);
  throw badRequest(
    `${quoteGo(unknown.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
