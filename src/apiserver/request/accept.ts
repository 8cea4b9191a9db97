// SPDX-License-Identifier: Apache-2.0
// Content negotiation. As in kube-apiserver there are two checks with different messages: first the bare media types of
// a route, then the parameters.
import { ApiError } from "../status/api-error.ts";

/** One clause of an Accept header. */
interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** How an object or list is represented. */
export type Representation =
  | { readonly kind: "object" }
  | { readonly kind: "table"; readonly version: "v1" | "v1beta1" }
  /** `isList`: the representation of a list was requested, which one object does not have. */
  | { readonly kind: "partial"; readonly version: "v1" | "v1beta1"; readonly isList: boolean };

export const protobufType = "application/vnd.kubernetes.protobuf";

/** Media type and representation of a response. */
export interface AnswerForm {
  readonly mediaType: "application/json" | "application/yaml" | typeof protobufType;
  readonly representation: Representation;
}

const plainObject: Representation = { kind: "object" };

/** The clauses of an Accept header by descending `q`, then in their order. An empty header accepts anything. */
export function parseAccept(header: string | undefined): readonly AcceptClause[] {
  const clauses = splitClauses(header === undefined || header === "" ? "*/*" : header);
  return clauses.length < 2 ? clauses : clauses.sort((a, b) => qualityOf(b) - qualityOf(a));
}

function qualityOf({ parameters }: AcceptClause): number {
  const quality = Number(parameters.get("q") ?? 1);
  return Number.isNaN(quality) ? 1 : quality;
}

function splitClauses(header: string): AcceptClause[] {
  return header.split(",").flatMap((text) => {
    const [type = "", ...parts] = text.split(";").map((part) => part.trim());
    if (type === "") return [];
    const parameters = new Map(
      parts.map((part): [string, string] => {
        const [key = "", value = ""] = part.split("=", 2);
        return [key.toLowerCase(), value.replaceAll('"', "")];
      }),
    );
    return [{ type: type.toLowerCase(), parameters }];
  });
}

/**
 * Chooses the form of an object or list. Custom resources have protobuf for partial metadata only; tables have none.
 * Throws kube-apiserver's 406 if no clause can be served.
 */
export function chooseForm(header: string | undefined, isCustom: boolean): AnswerForm {
  for (const { type, parameters } of parseAccept(header)) {
    const mediaType = mediaTypeOf(type);
    const representation = representationOf(parameters);
    if (mediaType === undefined || representation === undefined || !isKnownStream(parameters)) continue;
    if (mediaType !== protobufType) return { mediaType, representation };
    if (representation.kind === "partial" || (representation.kind === "object" && !isCustom))
      return { mediaType, representation };
  }
  throw notAcceptable();
}

/** Throws the 406 of `chooseForm`. Called before a write, so that a write is never refused after it was done. */
export function checkForm(header: string | undefined, isCustom: boolean): void {
  if (header !== undefined && header !== "" && header !== "application/json") chooseForm(header, isCustom);
}

/** As `chooseForm`, for a watch. YAML streams do not exist. */
export function chooseStreamForm(header: string | undefined, isCustom: boolean): AnswerForm {
  const form = chooseForm(header, isCustom);
  if (form.mediaType !== "application/yaml") return form;
  throw notAcceptable("application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch");
}

/**
 * The media type of a response with one representation only, such as a discovery document. Throws kube-apiserver's 406.
 */
export function choosePlainForm(header: string | undefined): AnswerForm["mediaType"] {
  const mediaType = findPlainForm(header);
  if (mediaType === undefined) throw notAcceptable();
  return mediaType;
}

/** The media type of a refusal: JSON if no clause can be served. */
export function chooseErrorMediaType(header: string | undefined): AnswerForm["mediaType"] {
  if (header === undefined || !(header.includes("yaml") || header.includes("protobuf"))) return "application/json";
  return findPlainForm(header) ?? "application/json";
}

function findPlainForm(header: string | undefined): AnswerForm["mediaType"] | undefined {
  for (const { type, parameters } of parseAccept(header)) {
    const mediaType = mediaTypeOf(type);
    if (mediaType !== undefined && (parameters.get("as") ?? "") === "" && isKnownStream(parameters)) return mediaType;
  }
  return undefined;
}

/** The media types that the routes of one object, of a collection and of `/version` produce. */
const routeTypes = {
  object: ["application/json", "application/yaml", protobufType],
  list: [
    "application/json",
    "application/yaml",
    protobufType,
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
  ],
  version: ["application/json"],
} as const;

/** Throws the 406 of a route that produces none of the accepted types. Routes support `*\/*` and no other wildcard. */
export function checkRouteAccept(header: string | undefined, route: keyof typeof routeTypes): void {
  if (header === undefined || header === "" || header === "application/json") return;
  const produced: readonly string[] = routeTypes[route];
  if (parseAccept(header).some(({ type }) => type === "*/*" || produced.includes(type))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`;
  throw new ApiError(406, "NotAcceptable", message, { details: {} });
}

function notAcceptable(accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf"): ApiError {
  return new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${accepted}`);
}

function mediaTypeOf(type: string): AnswerForm["mediaType"] | undefined {
  if (type === "application/json" || type === "*/*" || type === "application/*") return "application/json";
  return type === "application/yaml" || type === protobufType ? type : undefined;
}

/** `stream=watch` is the only known stream parameter. */
function isKnownStream(parameters: ReadonlyMap<string, string>): boolean {
  const stream = parameters.get("stream") ?? "";
  return stream === "" || stream === "watch";
}

function representationOf(parameters: ReadonlyMap<string, string>): Representation | undefined {
  const as = parameters.get("as") ?? "";
  if (as === "") return plainObject;
  if (parameters.get("g") !== "meta.k8s.io") return undefined;
  const version = parameters.get("v");
  if (version !== "v1" && version !== "v1beta1") return undefined;
  if (as === "Table") return { kind: "table", version };
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList")
    return { kind: "partial", version, isList: as.endsWith("List") };
  return undefined;
}
