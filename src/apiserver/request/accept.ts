// SPDX-License-Identifier: Apache-2.0
// Which form of an answer a client takes: of the forms we have, the one that the best clause names. The real server looks twice, first by the bare media types of
// a route and then at the parameters, and refuses with other words each time.
import { ApiError } from "../status/api-error.ts";

/** One clause of an Accept header. */
interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** What an object or list is shown as. */
export type Representation =
  | { readonly kind: "object" }
  | { readonly kind: "table"; readonly version: "v1" | "v1beta1" }
  /** `isList`: the form of a list was asked for, which one object cannot have. */
  | { readonly kind: "partial"; readonly version: "v1" | "v1beta1"; readonly isList: boolean };

export const protobufType = "application/vnd.kubernetes.protobuf";

/** The form of an answer. */
export interface AnswerForm {
  readonly mediaType: "application/json" | "application/yaml" | typeof protobufType;
  readonly representation: Representation;
}

const plainObject: Representation = { kind: "object" };

/** The clauses of an Accept header, the one with the highest `q` first, then in their order. An empty header takes anything. */
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
 * The form to answer an object or list in. Custom resources have no protobuf but for their metadata, and there are no tables in it. Throws the real server's 406
 * where the client takes none of ours.
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

/** Throws the 406 of `chooseForm`: before a write, so that a client never gets a refusal for what was done. */
export function checkForm(header: string | undefined, isCustom: boolean): void {
  if (header !== undefined && header !== "" && header !== "application/json") chooseForm(header, isCustom);
}

/** The same for a watch: there are no streams of YAML. */
export function chooseStreamForm(header: string | undefined, isCustom: boolean): AnswerForm {
  const form = chooseForm(header, isCustom);
  if (form.mediaType !== "application/yaml") return form;
  throw notAcceptable("application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch");
}

/** The form of an answer that has no other representation than itself: a discovery document. Throws the real server's 406. */
export function choosePlainForm(header: string | undefined): AnswerForm["mediaType"] {
  const mediaType = findPlainForm(header);
  if (mediaType === undefined) throw notAcceptable();
  return mediaType;
}

/** The form of a refusal, which has no other representation either: JSON where the client takes nothing that we have. */
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

/** What the routes of one object, of a collection and of `/version` say that they produce. */
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

/** Throws the 406 of a route that produces none of the types that the client names; it knows `*\/*` and no other wildcard. */
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

/** The parameter `stream` names what a watch sends; there is one such thing. */
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
