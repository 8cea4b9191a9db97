// SPDX-License-Identifier: Apache-2.0
import { parseAccept } from "../../apiserver/request/accept.ts";
import { ApiError } from "../../apiserver/status/api-error.ts";
import type { MetaVersion } from "../../apiserver/table/partial-metadata.ts";

/** How rows are answered: as a table, as metadata, or not at all because whole objects were requested. */
export type RowForm =
  | { readonly kind: "table" | "partial"; readonly version: MetaVersion }
  | { readonly kind: "object" };

const jsonTypes: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/**
 * Chooses the form by the Accept header: the first table or metadata in JSON, whatever its place, else whole objects.
 * Throws 406 if no JSON is accepted.
 */
export function chooseRowForm(header: string | undefined): RowForm {
  let form: RowForm | undefined;
  for (const { type, parameters } of parseAccept(header)) {
    if (!jsonTypes.has(type)) continue;
    const as = parameters.get("as") ?? "";
    if (as === "") form ??= { kind: "object" };
    const version = parameters.get("v");
    if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) continue;
    if (as === "Table") return { kind: "table", version };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return { kind: "partial", version };
  }
  if (form === undefined) throw new ApiError(406, "NotAcceptable", "the fleet API answers in application/json only");
  return form;
}
