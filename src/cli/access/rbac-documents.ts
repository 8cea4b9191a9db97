// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { quote } from "../../model/text.ts";
import { parseClusterRole, parseClusterRoleBinding, parseRole, parseRoleBinding } from "../../rbac/rbac-parse.ts";
import { rbacApiGroup } from "../../rbac/rbac-types.ts";

/** Objects of one preview: the hub's limit. */
const maxObjects = 100;

const parsers: ReadonlyMap<unknown, (value: unknown) => unknown> = new Map<unknown, (value: unknown) => unknown>([
  ["Role", parseRole],
  ["ClusterRole", parseClusterRole],
  ["RoleBinding", parseRoleBinding],
  ["ClusterRoleBinding", parseClusterRoleBinding],
]);

/**
 * The RBAC objects of a YAML or JSON text with one or more documents, each as JSON. A `List` counts as its items. Throws
 * INVALID_ARGUMENT with the document that is no RBAC object, or that Kubernetes would refuse. No message contains
 * values of the text, which may be another file given by mistake (L18).
 */
export async function parseRbacDocuments(path: string, text: string): Promise<readonly string[]> {
  const { parseAllDocuments } = await import("yaml");
  const documents = [...parseAllDocuments(text, { prettyErrors: false, stringKeys: true })];
  const objects = documents.flatMap((document, at) => {
    const place = documents.length === 1 ? path : `${path}, document ${at + 1}`;
    const [error] = document.errors;
    if (error !== undefined) refuse(place, `is not YAML: line ${lineOf(text, error.pos[0])} has a mistake`);
    const value: unknown = toPlain(document, place);
    return value === null ? [] : itemsOf(value).map((item) => checkObject(item, place));
  });
  if (objects.length === 0) refuse(path, "has no object");
  if (objects.length > maxObjects) refuse(path, `has ${objects.length} objects; at most ${maxObjects} are allowed`);
  return objects;
}

/** The line of a place in a text, from 1. */
function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

/** The library refuses aliases that expand to more than it allows. */
function toPlain(document: { toJS(): unknown }, place: string): unknown {
  try {
    return document.toJS();
  } catch (reason) {
    if (!(reason instanceof ReferenceError)) throw reason;
    return refuse(place, "has aliases that are unknown or expand to too much");
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  if (!isMap(value) || value["kind"] !== "List" || !Array.isArray(value["items"])) return [value];
  return value["items"];
}

function checkObject(value: unknown, place: string): string {
  const kind = isMap(value) ? value["kind"] : undefined;
  const apiVersion = isMap(value) ? value["apiVersion"] : undefined;
  const parse = parsers.get(kind);
  if (parse === undefined) {
    const found = typeof kind === "string" ? `is of kind ${quote(kind)}` : "has no kind";
    return refuse(place, `${found}; only ${[...parsers.keys()].join(", ")} of ${rbacApiGroup} are allowed`);
  }
  if (typeof apiVersion !== "string" || !apiVersion.startsWith(`${rbacApiGroup}/`))
    return refuse(place, `has a wrong or no apiVersion; write ${rbacApiGroup}/v1`);
  try {
    parse(value);
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return refuse(place, `is refused: ${reason.message}`);
  }
  return JSON.stringify(value);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuse(place: string, problem: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", `${place} ${problem}`);
}
