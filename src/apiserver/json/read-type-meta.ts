// SPDX-License-Identifier: Apache-2.0
import { type Draft, type DraftObject, isList, isObject } from "./json.ts";
import { textAt } from "./json-fields.ts";
import { unrecognizedBody } from "./unrecognized-body.ts";

/** The kind and version in a body. Empty if absent: the path then determines them. */
export interface TypeMeta {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The Go type in kube-apiserver's messages about these two fields. */
const goStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Reads the object of a body and its kind and version. A null body is an empty object. Throws an ApiError 400 for a
 * body that is not an object, or whose apiVersion or kind is not a string; its message contains `kind` (the kind of the
 * path) and `text` (the body).
 */
export function readTypeMeta(value: Draft, kind: string, text: string): { body: DraftObject; meta: TypeMeta } {
  const refuse = (problem: string): Error =>
    unrecognizedBody(kind, `couldn't get version/kind; json parse error: ${problem}`, text);
  const body = value ?? {};
  if (!isObject(body)) throw refuse(`json: cannot unmarshal ${describe(body)} into Go value of type ${goStruct}`);
  for (const key of Object.keys(body)) {
    const part = body[key] ?? null;
    if ((key === "apiVersion" || key === "kind") && part !== null && typeof part !== "string")
      throw refuse(`json: cannot unmarshal ${describe(part)} into Go struct field .${key} of type string`);
  }
  const apiVersion = textAt(body, "apiVersion") ?? "";
  const parts = apiVersion === "" || apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (parts.length > 2) throw unrecognizedBody(kind, `unexpected GroupVersion string: ${apiVersion}`, text);
  const [group, version] = parts.length === 1 ? ["", parts[0]] : parts;
  return { body, meta: { group: group ?? "", version: version ?? "", kind: textAt(body, "kind") ?? "" } };
}

function describe(value: Exclude<Draft, null>): string {
  if (isList(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
