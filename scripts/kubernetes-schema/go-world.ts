// SPDX-License-Identifier: Apache-2.0
// The Go packages of the API types, each read once.
import { join } from "node:path";
import type { ScalarType, TypeRef } from "../../src/apiserver/schema/schema.ts";
import { type GoPackage, type GoType, readGoPackage } from "./read-go-types.ts";
import { type ProtoMessages, readProto } from "./read-proto.ts";

/** Types with their own JSON form. */
const scalars: ReadonlyMap<string, ScalarType> = new Map<string, ScalarType>([
  ["k8s.io/apimachinery/pkg/apis/meta/v1.Time", "time"],
  ["k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime", "microTime"],
  ["k8s.io/apimachinery/pkg/apis/meta/v1.Duration", "duration"],
  ["k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1", "json"],
  ["k8s.io/apimachinery/pkg/api/resource.Quantity", "quantity"],
  ["k8s.io/apimachinery/pkg/util/intstr.IntOrString", "intOrString"],
  ["k8s.io/apimachinery/pkg/runtime.RawExtension", "json"],
  ["k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON", "json"],
  ["k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool", "schemaOrBool"],
  ["k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray", "schemaOrList"],
  ["k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray", "schemaOrStrings"],
]);

const builtins: ReadonlyMap<string, ScalarType> = new Map<string, ScalarType>([
  ["string", "string"],
  ["bool", "boolean"],
  ["int32", "int32"],
  ["int64", "int64"],
  ["int", "int64"],
  ["float64", "double"],
]);

/** The JSON type of a Go type. */
export interface ResolvedType {
  readonly type: TypeRef;
  readonly pointer: boolean;
}

/** Reads packages by import path from the unpacked modules of the Go module cache. */
export class GoWorld {
  readonly #folderOf: (path: string) => string;
  readonly #packages = new Map<string, GoPackage>();
  readonly #protos = new Map<string, ProtoMessages>();

  /** `moduleCache` contains `k8s.io/api@VERSION` and the other modules. */
  constructor(moduleCache: string, version: string) {
    this.#folderOf = (path) => {
      const [host = "", module = "", ...rest] = path.split("/");
      return join(moduleCache, host, `${module}@${version}`, ...rest);
    };
  }

  type(path: string, name: string): GoType {
    let read = this.#packages.get(path);
    if (read === undefined) {
      read = readGoPackage(path, this.#folderOf(path));
      this.#packages.set(path, read);
    }
    const found = read.types.get(name);
    if (found === undefined) throw new Error(`${path} has no type ${name}`);
    return found;
  }

  messages(path: string): ProtoMessages {
    let read = this.#protos.get(path);
    if (read === undefined) {
      read = readProto(join(this.#folderOf(path), "generated.proto"));
      this.#protos.set(path, read);
    }
    return read;
  }

  /** The declaration of a name used in `from`: `Pod` of the same package, `metav1.Time` of an imported one. */
  named(text: string, from: GoType): GoType {
    const dot = text.indexOf(".");
    if (dot === -1) return this.type(from.package.path, text);
    const path = from.imports.get(text.slice(0, dot));
    if (path === undefined) throw new Error(`${from.package.path}.${from.name} does not import ${text}`);
    return this.type(path, text.slice(dot + 1));
  }

  resolve(text: string, from: GoType): ResolvedType {
    if (text.startsWith("*")) return { type: this.#valueType(text.slice(1), from), pointer: true };
    return { type: this.#valueType(text, from), pointer: false };
  }

  #valueType(text: string, from: GoType): TypeRef {
    const builtin = builtins.get(text);
    if (builtin !== undefined) return { kind: builtin };
    if (text === "[]byte") return { kind: "bytes" };
    if (text.startsWith("[]")) return { kind: "list", item: this.#valueType(text.slice(2), from) };
    const map = /^map\[(\w+)\](.+)$/.exec(text);
    if (map !== null) return { kind: "map", value: this.#valueType(map[2] ?? "", from) };
    if (!/^(?:\w+\.)?\w+$/.test(text)) throw new Error(`${from.name} uses a type that is not known here: ${text}`);
    const found = this.named(text, from);
    const scalar = scalars.get(`${found.package.path}.${found.name}`);
    if (scalar !== undefined) return { kind: scalar };
    if (found.kind === "named") return this.#valueType(found.type, found);
    return { kind: "object", name: modelName(found) };
  }
}

/** The name of a type in OpenAPI: the import path with its host reversed. */
export function modelName({ package: { path }, name }: GoType): string {
  const [host = "", ...rest] = path.split("/");
  return [...host.split(".").reverse(), ...rest, name].join(".");
}
