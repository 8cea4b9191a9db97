// SPDX-License-Identifier: Apache-2.0
import { type Draft, type DraftObject, isList, isObject, textAt } from "./json.ts";
import { unrecognizedBody } from "./unrecognized-body.ts";

/** What a body says that it is. Empty where it says nothing: the path then decides. */
export interface TypeMeta {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** How the real server shows the type that it reads these two fields into. */
const goStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * The object in a body and its kind and version. A body of null is an empty object. `kind` is the one that the path asks for, `text` the body; both are for the
 * refusal, an ApiError 400, of a body that is no object or in which these two fields are not texts.
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
