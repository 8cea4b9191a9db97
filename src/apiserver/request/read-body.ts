// SPDX-License-Identifier: Apache-2.0
import { type Draft, type DraftObject, isObject, type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { type ParsedText, parseJson } from "../json/parse-json.ts";
import { parseYaml } from "../json/parse-yaml.ts";
import { quoteGo } from "../json/quote-go.ts";
import { readTypeMeta } from "../json/read-type-meta.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { UnrecognizedBody, unrecognizedBody } from "../json/unrecognized-body.ts";
import { dedupOwners } from "../metadata/owner-references.ts";
import { decodeProtobuf, type ExpectedKind } from "../protobuf/decode-protobuf.ts";
import type { Resource } from "../resources/resource.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { cleanTyped } from "../schema-decode/clean-typed.ts";
import { CannotBeHandled, cannotBeHandled, strictDecodingError } from "../schema-decode/decoding-refusals.ts";
import { ApiError, badRequest, invalid } from "../status/api-error.ts";
import { invalidValue } from "../status/field-error.ts";
import { apiVersionOf } from "../storage/render-object.ts";
import type { ApiRequest } from "./api-request.ts";
import { conversionProblem, notRegistered } from "./go-kind-names.ts";
import { type FieldValidation, settleComplaints } from "./write-options.ts";

const decoder = new TextDecoder();

/** A parsed body and its text. The text is empty for protobuf. */
export interface ParsedBody {
  readonly value: Draft;
  readonly parsed: ParsedText | undefined;
  readonly text: string;
}

export interface BodyContext {
  readonly table: SchemaTable;
  /** The expected resource. Bodies of built-in kinds may omit apiVersion and kind. */
  readonly resource: Resource;
  readonly validation: FieldValidation;
  /** Receives the warnings of field validation. */
  readonly warnings: Set<string>;
}

/**
 * Reads the object of a create or update: parses it, checks its kind and cleans it. Throws kube-apiserver's 400, 415
 * and 422.
 */
export async function readObject(request: ApiRequest, context: BodyContext): Promise<DraftObject> {
  const { table, resource, validation, warnings } = context;
  const { facts, isCustom } = resource;
  const { value, parsed, text } = await readBody(request, table, {
    expected: facts,
    isBuiltin: !isCustom,
    // Built-in kinds always need the repeated keys: their types define how repeated keys merge.
    findDuplicates: !isCustom || validation !== "Ignore",
  });
  const body = isCustom
    ? customBody(value, text, parsed, context)
    : builtinBody(value, { table, expected: facts, text });
  const { object, complaints } = resource.clean(body, parsed);
  const all = isCustom ? [...(parsed?.duplicates ?? []), ...complaints] : complaints;
  settleComplaints(all, validation, warnings, () => strictDecodingError(facts, all, parsed));
  const repeated = dedupOwners(object);
  if (repeated !== undefined) warnings.add(repeated);
  object["apiVersion"] = apiVersionOf(facts);
  object["kind"] = facts.kind;
  return object;
}

/** As `readObject`, for a body of another built-in kind than the resource's, such as Scale or Binding. */
export async function readOther(
  request: ApiRequest,
  { table, expected, validation, warnings }: Omit<BodyContext, "resource"> & { readonly expected: ExpectedKind },
): Promise<DraftObject> {
  const { value, parsed, text } = await readBody(request, table, { expected, isBuiltin: true, findDuplicates: true });
  const body = builtinBody(value, { table, expected, text });
  const schema = table.ofKind(expected.group, expected.version, expected.kind);
  if (schema === undefined) return body;
  const { object, complaints } = cleanTyped(table, schema, body, { ...expected, parsed });
  settleComplaints(complaints, validation, warnings, () => strictDecodingError(expected, complaints, parsed));
  return object;
}

/**
 * Reads the options in the body of a delete; undefined without a body. Refusals contain the problem only, without the
 * frame that other bodies get.
 */
export async function readDeleteOptions(request: ApiRequest, table: SchemaTable): Promise<JsonObject | undefined> {
  if ((await request.body()).length === 0) return undefined;
  const expected = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };
  try {
    const { value, parsed, text } = await readBody(request, table, {
      expected,
      isBuiltin: true,
      findDuplicates: false,
    });
    const { body, meta } = readTypeMeta(value, expected.kind, text);
    if (meta.kind !== "" && meta.kind !== expected.kind)
      throw badRequest(notRegistered(meta.kind, meta.version === "" ? expected : meta));
    const schema = table.ofKind(expected.group, expected.version, expected.kind);
    return schema === undefined ? body : cleanTyped(table, schema, body, { ...expected, parsed }).object;
  } catch (reason) {
    const isFramed = reason instanceof UnrecognizedBody || reason instanceof CannotBeHandled;
    throw isFramed ? badRequest(reason.problem) : reason;
  }
}

export interface BodyExpectation {
  /** The kind that refusals name. */
  readonly expected: ExpectedKind;
  /** Only built-in kinds have a protobuf form. */
  readonly isBuiltin: boolean;
  readonly findDuplicates: boolean;
}

/** Reads and parses the body by its Content-Type; JSON without one. */
export async function readBody(
  request: ApiRequest,
  table: SchemaTable,
  expectation: BodyExpectation,
): Promise<ParsedBody> {
  const { expected, isBuiltin, findDuplicates } = expectation;
  const bytes = await request.body();
  const options = { kind: expected.kind, findDuplicates };
  switch (mediaTypeOf(request)) {
    case "":
    case "application/json":
    case "*/*":
      return ofText(decoder.decode(bytes), (text) => parseJson(text, options));
    case "application/yaml":
      return ofText(decoder.decode(bytes), (text) => parseYaml(text, options));
    case "application/vnd.kubernetes.protobuf":
      if (!isBuiltin) break;
      return { value: decodeProtobuf(table, bytes, expected).object, parsed: undefined, text: "" };
  }
  const accepted = [
    "application/json",
    "application/yaml",
    ...(isBuiltin ? ["application/vnd.kubernetes.protobuf"] : []),
  ];
  throw new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

function mediaTypeOf(request: ApiRequest): string {
  return request.header("content-type")?.split(";", 1)[0]?.trim() ?? "";
}

function ofText(text: string, parse: (text: string) => ParsedText): ParsedBody {
  const parsed = parse(text);
  return { value: parsed.value, parsed, text };
}

/** Checks a body of a built-in kind. The path determines an omitted apiVersion or kind. */
function builtinBody(
  value: Draft,
  { table, expected, text }: { readonly table: SchemaTable; readonly expected: ExpectedKind; readonly text: string },
): DraftObject {
  const { body, meta } = readTypeMeta(value, expected.kind, text);
  const { group, version } = meta.version === "" ? expected : meta;
  const named = { group, version, kind: meta.kind === "" ? expected.kind : meta.kind };
  const problem = conversionProblem(table, named, expected);
  if (problem !== undefined) throw cannotBeHandled(named, problem, expected.kind);
  const [given, wanted] = [apiVersionOf(named), apiVersionOf(expected)];
  if (given !== wanted) throw wrongVersion(given, wanted);
  return body;
}

/** Checks the body of a custom resource, which must have apiVersion and kind. */
function customBody(
  value: Draft,
  text: string,
  parsed: ParsedText | undefined,
  { resource: { facts }, validation, warnings }: BodyContext,
): DraftObject {
  const { body, meta } = readTypeMeta(value, facts.kind, text);
  if (meta.kind === "" || !isObject(value)) {
    const shown = parsed?.format === "yaml" ? stringifyJson(value) : text;
    throw unrecognizedBody(facts.kind, `Object 'Kind' is missing in '${shown}'`, shown);
  }
  const apiVersion = textAt(body, "apiVersion") ?? "";
  const wanted = apiVersionOf(facts);
  if (apiVersion !== wanted) {
    // An unknown version has no schema: every field except the metadata is unknown.
    const unknown = apiVersion === "" ? [] : unknownAtTop(body);
    settleComplaints(unknown, validation, warnings, () => strictDecodingError({ ...facts, ...meta }, unknown));
    throw wrongVersion(apiVersion, wanted);
  }
  if (meta.kind !== facts.kind)
    throw invalid({ group: facts.group, kind: meta.kind }, textAt(body, "metadata", "name") ?? "", [
      invalidValue("kind", meta.kind, `must be ${facts.kind}`),
    ]);
  return body;
}

const knownAtTop: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function unknownAtTop(body: DraftObject): readonly string[] {
  return Object.keys(body).flatMap((key) => (knownAtTop.has(key) ? [] : [`unknown field ${quoteGo(key)}`]));
}

function wrongVersion(given: string, wanted: string): ApiError {
  return badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`);
}
