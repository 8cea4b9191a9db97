// SPDX-License-Identifier: Apache-2.0
// POST serviceaccounts/NAME/token: issues a token of a service account for a TokenRequest. Nothing is stored.

import type { ObjectReference, TokenBinding } from "../accounts/account-tokens.ts";
import { pointedNumber } from "../builtin/checks/object-fields.ts";
import { type DraftObject, ensureObject, type JsonObject } from "../json/json.ts";
import { objectAt, textOf, textsAt } from "../json/json-fields.ts";
import { quoteGo } from "../json/quote-go.ts";
import { choosePlainForm } from "../request/accept.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { readOther } from "../request/read-body.ts";
import { parseWriteOptions } from "../request/write-options.ts";
import type { ObjectReader } from "../resources/object-reader.ts";
import { formatTime } from "../schema-decode/go-time.ts";
import { badRequest, conflict, invalid, notFound } from "../status/api-error.ts";
import { type FieldError, invalidValue } from "../status/field-error.ts";
import { fillNamespace } from "../verbs/create-object.ts";
import type { ApiContext, ResourceRequest } from "./api-context.ts";
import { documentResponse } from "./respond.ts";

const tokenRequest = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

/** The default expiration is an hour; its bounds are ten minutes and 2^32 seconds. All are kube-apiserver's. */
const defaultSeconds = 3_600;
const leastSeconds = 600;
const mostSeconds = 2 ** 32;

/** Responds with the request and its token. Throws kube-apiserver's refusals. */
export async function handleTokenRequest(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { request, attributes, warnings } = asked;
  const { namespace, name } = attributes;
  const mediaType = choosePlainForm(request.header("accept"));
  const { fieldValidation: validation } = parseWriteOptions(request.query, "CreateOptions");
  const { table, cluster, accounts } = context;
  const body = await readOther(request, { table, expected: tokenRequest, validation, warnings });
  const metadata = ensureObject(body, "metadata");
  fillNamespace(namespace, metadata);
  const account = findAccount(cluster.cache, { namespace, name }, metadata);
  const spec = ensureObject(body, "spec");
  const nowMs = cluster.clock.wallMs();
  if (textsAt(spec, "audiences").length === 0) spec["audiences"] = [...accounts.audiences];
  Object.assign(metadata, { name, uid: account.uid, creationTimestamp: formatTime(nowMs) });
  const expirationSeconds = settleExpiration(spec);
  const binding = findBinding(cluster.cache, { namespace, name }, objectAt(spec, "boundObjectRef"));
  const token = accounts.issue({
    namespace,
    account,
    audiences: textsAt(spec, "audiences"),
    expirationSeconds,
    binding,
  });
  const answer = {
    kind: tokenRequest.kind,
    apiVersion: `${tokenRequest.group}/${tokenRequest.version}`,
    metadata,
    spec,
    status: { token, expirationTimestamp: formatTime(nowMs + expirationSeconds * 1000) },
  };
  return documentResponse(201, answer, mediaType);
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** The account in the path. Refuses a body with another name or uid. */
function findAccount(objects: ObjectReader, { namespace, name }: Place, metadata: JsonObject): ObjectReference {
  const given = textOf(metadata, "name");
  if (given !== "" && given !== name)
    throw refused(name, [invalidValue("metadata.name", given, "must match the service account name if specified")]);
  const account = objects.get("serviceaccounts", namespace, name);
  if (account === undefined) throw notFound({ group: "", resource: "serviceaccounts" }, name);
  const uid = textOf(account, "metadata", "uid");
  const wanted = textOf(metadata, "uid");
  if (wanted !== "" && wanted !== uid) {
    const because = `the UID in the token request (${wanted}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: tokenRequest.group, resource: tokenRequest.kind }, name, because);
  }
  return { name, uid };
}

/** The token's lifetime in seconds. Writes the default to the spec. */
function settleExpiration(spec: DraftObject): number {
  const seconds = pointedNumber(spec, "expirationSeconds") ?? defaultSeconds;
  const field = "spec.expirationSeconds";
  if (seconds < leastSeconds)
    throw refused("", [invalidValue(field, seconds, "may not specify a duration less than 10 minutes")]);
  if (seconds > mostSeconds)
    throw refused("", [invalidValue(field, seconds, "may not specify a duration larger than 2^32 seconds")]);
  spec["expirationSeconds"] = seconds;
  return Number(seconds);
}

function refused(name: string, errors: readonly FieldError[]): Error {
  return invalid(tokenRequest, name, errors);
}

/** Kinds that a token can be bound to. */
const boundResources: ReadonlyMap<string, { readonly resource: string; readonly namespaced: boolean }> = new Map([
  ["Pod", { resource: "pods", namespaced: true }],
  ["Secret", { resource: "secrets", namespaced: true }],
  ["Node", { resource: "nodes", namespaced: false }],
]);

/** The object that the token is bound to. The token is valid only while it exists. */
function findBinding(objects: ObjectReader, account: Place, reference: JsonObject | undefined): TokenBinding {
  if (reference === undefined) return {};
  const [group = "", version = ""] = splitApiVersion(textOf(reference, "apiVersion"));
  const kind = textOf(reference, "kind");
  const bound = group === "" ? boundResources.get(kind) : undefined;
  if (bound === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const name = textOf(reference, "name");
  const object = objects.get(bound.resource, bound.namespaced ? account.namespace : "", name);
  if (object === undefined) throw notFound({ group: "", resource: bound.resource }, name);
  if (kind === "Pod" && textOf(object, "spec", "serviceAccountName") !== account.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${quoteGo(account.name)} to pod running with different serviceaccount name.`,
    );
  const uid = textOf(object, "metadata", "uid");
  const wanted = textOf(reference, "uid");
  if (wanted !== "" && wanted !== uid) {
    const because = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kind }, name, because);
  }
  const itself = { [kind.toLowerCase()]: { name, uid } };
  return kind === "Pod" ? { ...itself, ...nodeOf(objects, object) } : itself;
}

/** The Pod's node, with its uid if the node exists. */
function nodeOf(objects: ObjectReader, pod: JsonObject): TokenBinding {
  const name = textOf(pod, "spec", "nodeName");
  if (name === "") return {};
  const node = objects.get("nodes", "", name);
  return { node: node === undefined ? { name } : { name, uid: textOf(node, "metadata", "uid") } };
}

/** Group and version of an apiVersion; the core group is empty. */
function splitApiVersion(text: string): readonly string[] {
  return text.includes("/") ? text.split("/", 2) : ["", text];
}
