// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { chooseForm } from "../request/accept.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { readOther } from "../request/read-body.ts";
import { parseWriteOptions } from "../request/write-options.ts";
import type { Resource, ScalePaths } from "../resources/resource.ts";
import { noSuchResource } from "../status/api-error.ts";
import { printerFor } from "../table/printers.ts";
import { decodePatched } from "../verbs/decode-patched.ts";
import { applyPatch, parsePatch } from "../verbs/patch-object.ts";
import { applyScale, readScale, scaleResource, toScale } from "../verbs/scale.ts";
import { updateObject } from "../verbs/update-object.ts";
import type { ApiContext, ResourceRequest } from "./api-context.ts";
import { findObject } from "./read-requests.ts";
import { objectResponse, parseIncludeObject } from "./respond.ts";
import { checkNames, readPatchKind, targetOf } from "./write-requests.ts";

const decoder = new TextDecoder();
const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };
const scalePrinter = printerFor("autoscaling", "v1", "Scale");

/** Reads or changes the replica count of an object. */
export async function handleScale(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { request, resource, attributes } = asked;
  const { scale: paths } = resource;
  if (paths === undefined) throw noSuchResource();
  const form = chooseForm(request.header("accept"), resource.isCustom);
  const respond = (object: JsonObject): ApiResponse =>
    objectResponse(200, {
      resource: { ...resource, printer: scalePrinter },
      object: readScale(resource, paths, object),
      form,
      includeObject: parseIncludeObject(request.query),
      nowMs: context.cluster.clock.wallMs(),
    });
  if (attributes.verb === "get") return respond(await findObject(context, asked));
  const { isDryRun, change, uid } = await (attributes.verb === "patch" ? readPatch : readWhole)(context, asked);
  const updated = await updateObject(context.cluster, {
    target: targetOf(asked),
    part: "scale",
    isDryRun,
    mayCreate: false,
    uid,
    change: (old = {}) => withScale(resource, paths, old, change(toScale(paths, old))),
  });
  return respond(updated.object);
}

/** A requested change: a function from the current Scale to the wanted one. */
interface ScaleChange {
  readonly isDryRun: boolean;
  /** The expected uid of the object; empty if the client did not set it. */
  readonly uid: string;
  readonly change: (scale: DraftObject) => DraftObject;
}

async function readWhole({ table }: ApiContext, asked: ResourceRequest): Promise<ScaleChange> {
  const { request, warnings } = asked;
  const { isDryRun, fieldValidation: validation } = parseWriteOptions(request.query, "UpdateOptions");
  const scale = await readOther(request, { table, expected: scaleKind, validation, warnings });
  checkNames(targetOf(asked), scale);
  return { isDryRun, uid: textAt(scale, "metadata", "uid") ?? "", change: () => scale };
}

async function readPatch({ table }: ApiContext, asked: ResourceRequest): Promise<ScaleChange> {
  const { request, warnings } = asked;
  const { type, options } = readPatchKind(asked);
  const { isDryRun, fieldValidation: validation } = options;
  const { value: patch, duplicates } = parsePatch(decoder.decode(await request.body()), type);
  const resource = scaleResource(table);
  const change = (scale: DraftObject): DraftObject => {
    const patched = applyPatch(type, resource, table, { object: scale, patch });
    return decodePatched({ table, resource, type, patch, duplicates, validation, warnings }, patched);
  };
  return { isDryRun, uid: "", change };
}

function withScale(resource: Resource, paths: ScalePaths, old: JsonObject, scale: JsonObject): DraftObject {
  const wanted = copyJson(old);
  const version = textAt(scale, "metadata", "resourceVersion") ?? "";
  if (version !== "") ensureObject(wanted, "metadata")["resourceVersion"] = version;
  applyScale(resource, paths, wanted, scale);
  return wanted;
}
