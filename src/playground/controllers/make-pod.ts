// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { objectAt } from "../../apiserver/json/json-fields.ts";
import { nameOf, namespaceOf } from "./object-parts.ts";
import { controllerReference, type OwnerKind } from "./owner.ts";

/** The parts of a new Pod. */
export interface PodParts {
  readonly kind: OwnerKind;
  readonly owner: JsonObject;
  readonly template: JsonObject;
  /** The full name. Without it the server generates one from `generateName` or the owner's name. */
  readonly name?: string;
  readonly generateName?: string;
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly finalizers?: readonly string[];
  /** Applied last to the spec. */
  readonly changeSpec?: (spec: DraftObject) => void;
}

/** A new Pod from a template, controlled by its owner. */
export function makePod({ kind, owner, template, ...parts }: PodParts): DraftObject {
  const labels = { ...objectAt(template, "metadata", "labels"), ...parts.labels };
  const annotations = { ...objectAt(template, "metadata", "annotations"), ...parts.annotations };
  const pod = copyJson({
    metadata: {
      ...(parts.name === undefined
        ? { generateName: parts.generateName ?? `${nameOf(owner)}-` }
        : { name: parts.name, ...(parts.generateName === undefined ? {} : { generateName: parts.generateName }) }),
      namespace: namespaceOf(owner),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(parts.finalizers === undefined ? {} : { finalizers: parts.finalizers }),
      ownerReferences: [controllerReference(kind, owner)],
    },
    spec: objectAt(template, "spec") ?? {},
  });
  parts.changeSpec?.(ensureObject(pod, "spec"));
  return pod;
}
