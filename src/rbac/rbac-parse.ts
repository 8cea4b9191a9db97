// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import {
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  type RbacObject,
  type RbacSubject,
  type Role,
  type RoleBinding,
  type RoleRef,
  rbacApiGroup,
} from "./rbac-types.ts";

/** kube-apiserver refuses bodies above 3 MiB, so no stored object has more JSON. */
const maxObjectBytes = 3 * 1024 * 1024;

/** Minimal JSON overhead of a value: quotes and comma for text, braces and comma for an object. */
const bytesAroundValue = 3;

type JsonObject = Readonly<Record<string, unknown>>;

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads the fields of one object, and fails once they exceed the size that its JSON can have had. */
class ObjectReader {
  readonly #kind: string;
  /** The current position: field names and list indexes. Formatted only for a failure. */
  readonly #path: (string | number)[] = [];
  #leftBytes = maxObjectBytes;

  constructor(kind: string) {
    this.#kind = kind;
  }

  malformed(want: string, ...below: readonly (string | number)[]): FlotillaError {
    const segments = [...this.#path, ...below].map((each) => (typeof each === "number" ? `[${each}]` : `.${each}`));
    const path = segments.join("").replace(/^\./, "") || "the object";
    const ids = { kind: this.#kind, path };
    return new FlotillaError("MALFORMED", `${this.#kind}: ${path} must be ${want}`, { ids });
  }

  #spend(bytes: number): void {
    this.#leftBytes -= bytes;
    if (this.#leftBytes >= 0) return;
    throw new FlotillaError("TOO_LARGE", `${this.#kind}: the object is over ${maxObjectBytes} bytes`, {
      ids: { kind: this.#kind },
    });
  }

  object(value: unknown): JsonObject {
    if (!isJsonObject(value)) throw this.malformed("an object");
    this.#spend(bytesAroundValue);
    return value;
  }

  /** Runs `read` for the value of a field; failures name that field. */
  inside<T>(segment: string | number, read: () => T): T {
    this.#path.push(segment);
    const result = read();
    this.#path.pop();
    return result;
  }

  /** Absent and null text is empty, as in Go. */
  text(object: JsonObject, field: string): string {
    const value = object[field] ?? undefined;
    if (value === undefined) return "";
    if (typeof value !== "string") throw this.malformed("a string", field);
    this.#spend(value.length + bytesAroundValue);
    return value;
  }

  /** Absent and null lists are empty, as in Go. */
  #elements(object: JsonObject, field: string): readonly unknown[] {
    const value = object[field] ?? [];
    if (!Array.isArray(value)) throw this.malformed("a list", field);
    return value;
  }

  objects<T>(object: JsonObject, field: string, read: (element: JsonObject) => T): readonly T[] {
    const elements = this.#elements(object, field);
    return this.inside(field, () => elements.map((element, at) => this.inside(at, () => read(this.object(element)))));
  }

  texts(object: JsonObject, field: string): readonly string[] {
    return this.#elements(object, field).map((element, at) => {
      if (typeof element !== "string") throw this.malformed("a string", field, at);
      this.#spend(element.length + bytesAroundValue);
      return element;
    });
  }
}

function rulesOf(read: ObjectReader, object: JsonObject): readonly PolicyRule[] {
  return read.objects(object, "rules", (rule) => ({
    verbs: read.texts(rule, "verbs"),
    apiGroups: read.texts(rule, "apiGroups"),
    resources: read.texts(rule, "resources"),
    resourceNames: read.texts(rule, "resourceNames"),
    nonResourceURLs: read.texts(rule, "nonResourceURLs"),
  }));
}

function subjectsOf(read: ObjectReader, object: JsonObject): readonly RbacSubject[] {
  return read.objects(object, "subjects", (subject) => ({
    kind: read.text(subject, "kind"),
    name: read.text(subject, "name"),
    namespace: read.text(subject, "namespace"),
  }));
}

function roleRefOf(read: ObjectReader, object: JsonObject): RoleRef {
  return read.inside("roleRef", () => {
    const ref = read.object(object["roleRef"] ?? {});
    return {
      apiGroup: read.text(ref, "apiGroup") || rbacApiGroup,
      kind: read.text(ref, "kind"),
      name: read.text(ref, "name"),
    };
  });
}

function metadataText(read: ObjectReader, object: JsonObject, field: "name" | "namespace"): string {
  return read.inside("metadata", () => {
    const text = read.text(read.object(object["metadata"]), field);
    if (text === "") throw read.malformed("a non-empty string", field);
    return text;
  });
}

/**
 * Parses a Role from its JSON object. Throws MALFORMED, or TOO_LARGE for an object larger than kube-apiserver stores.
 */
export function parseRole(value: unknown): Role {
  const read = new ObjectReader("Role");
  const object = read.object(value);
  const namespace = metadataText(read, object, "namespace");
  return { kind: "Role", namespace, name: metadataText(read, object, "name"), rules: rulesOf(read, object) };
}

/** Parses a ClusterRole from its JSON object, without `aggregationRule`. Throws as `parseRole` does. */
export function parseClusterRole(value: unknown): ClusterRole {
  const read = new ObjectReader("ClusterRole");
  const object = read.object(value);
  const name = metadataText(read, object, "name");
  return { kind: "ClusterRole", namespace: "", name, rules: rulesOf(read, object) };
}

/** Parses a RoleBinding from its JSON object. Throws as `parseRole` does. */
export function parseRoleBinding(value: unknown): RoleBinding {
  const read = new ObjectReader("RoleBinding");
  const object = read.object(value);
  return {
    kind: "RoleBinding",
    namespace: metadataText(read, object, "namespace"),
    name: metadataText(read, object, "name"),
    subjects: subjectsOf(read, object),
    roleRef: roleRefOf(read, object),
  };
}

/** Parses a ClusterRoleBinding from its JSON object. Throws as `parseRole` does. */
export function parseClusterRoleBinding(value: unknown): ClusterRoleBinding {
  const read = new ObjectReader("ClusterRoleBinding");
  const object = read.object(value);
  return {
    kind: "ClusterRoleBinding",
    namespace: "",
    name: metadataText(read, object, "name"),
    subjects: subjectsOf(read, object),
    roleRef: roleRefOf(read, object),
  };
}

/** Parses an object of one of the four kinds, by its `kind`. Throws MALFORMED, also for another kind, and TOO_LARGE. */
export function parseRbacObject(value: unknown): RbacObject {
  const kind = isJsonObject(value) ? value["kind"] : undefined;
  switch (kind) {
    case "Role":
      return parseRole(value);
    case "ClusterRole":
      return parseClusterRole(value);
    case "RoleBinding":
      return parseRoleBinding(value);
    case "ClusterRoleBinding":
      return parseClusterRoleBinding(value);
    default:
      throw new FlotillaError("MALFORMED", "kind must be Role, ClusterRole, RoleBinding or ClusterRoleBinding");
  }
}
