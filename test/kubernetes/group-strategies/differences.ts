// SPDX-License-Identifier: Apache-2.0

import { getKey, isList, isObject, type Json, type JsonObject } from "../../../src/apiserver/json/json.ts";
import { listAt, objectAt, textAt } from "../../../src/apiserver/json/json-fields.ts";
import { toStatus } from "../../../src/apiserver/status/status-object.ts";
import type { KubeAnswer } from "../kube-client.ts";
import type { Judgement } from "./judge-locally.ts";

const uidPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * The template of a Job is shown in the server's inner form, of which we have no table: only the place and the reason
 * are compared.
 */
const templatePattern = /(spec\.template[^{]*Invalid value: )\{.*?\}(: field is immutable)/g;

/** Where our judgement differs from the server's answer; nothing when it does not. */
export function findDifference(judgement: Judgement, { status, body }: KubeAnswer): string | undefined {
  const answer = body as JsonObject;
  if ("object" in judgement) {
    if (status >= 300) return `we take what the server refuses: ${messageOf(answer)}`;
    return differs(judgement.object, withoutManagedFields(answer), "");
  }
  const refusal = toStatus(judgement.refusal);
  if (status < 300) return `we refuse what the server takes: ${messageOf(refusal)}`;
  if (messageOf(refusal) !== messageOf(answer)) return `we say ${messageOf(refusal)}\nit says ${messageOf(answer)}`;
  return isSameCauses(refusal, answer) ? undefined : `the causes differ: ${causesOf(refusal)} ${causesOf(answer)}`;
}

function withoutManagedFields(answer: JsonObject): JsonObject {
  const { managedFields: _fields, ...metadata } = objectAt(answer, "metadata") ?? {};
  return { ...answer, metadata };
}

function messageOf(status: JsonObject): string {
  return normalise(textAt(status, "message") ?? "");
}

function normalise(text: string): string {
  return text.replace(uidPattern, "UID").replace(templatePattern, "$1…$2");
}

/** Each cause once: the real server may tell one twice. */
function causesOf(status: JsonObject): string {
  const causes = listAt(status, "details", "causes") ?? [];
  const texts = causes.map((cause) =>
    normalise([textAt(cause, "field"), textAt(cause, "reason"), textAt(cause, "message")].join(" | ")),
  );
  return [...new Set(texts)].join("\n");
}

function isSameCauses(ours: JsonObject, theirs: JsonObject): boolean {
  return causesOf(ours) === causesOf(theirs);
}

/** The first place where the objects differ. */
function differs(ours: Json | undefined, theirs: Json | undefined, path: string): string | undefined {
  if (isList(ours) && isList(theirs)) {
    if (ours.length !== theirs.length) return differenceAt(path, ours, theirs);
    return first(ours.keys(), (index) => differs(ours[index], theirs[index], `${path}[${index}]`));
  }
  if (isObject(ours) && isObject(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return first(keys, (key) => differs(getKey(ours, key), getKey(theirs, key), `${path}.${key}`));
  }
  return ours === theirs ? undefined : differenceAt(path, ours, theirs);
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function differenceAt(path: string, ours: Json | undefined, theirs: Json | undefined): string {
  return `${path}: ours ${JSON.stringify(ours)}, the server's ${JSON.stringify(theirs)}`;
}
