// SPDX-License-Identifier: Apache-2.0
// Reads the type declarations of Go packages, as `encoding/json` and the protobuf generator use them. It supports the
// style of Kubernetes' API packages (one field per line, tags in back quotes) and throws for a tagged field in another
// form. Fields without a tag are not part of the API.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A field of a struct as written. `type` is Go's text: `[]metav1.Condition`. */
export interface GoField {
  readonly name: string;
  readonly type: string;
  /** Embedded without a field name. */
  readonly embedded: boolean;
  /** Values of the tag by key: json, protobuf, patchStrategy, patchMergeKey. */
  readonly tags: ReadonlyMap<string, string>;
}

/** A declared type: a struct, or a name for another type. */
export type GoType = {
  readonly package: GoPackage;
  readonly name: string;
  /** Import paths by their name in the file. */
  readonly imports: ReadonlyMap<string, string>;
} & (
  | { readonly kind: "struct"; readonly fields: readonly GoField[] }
  | { readonly kind: "named"; readonly type: string }
);

export interface GoPackage {
  /** Import path: `k8s.io/api/core/v1`. */
  readonly path: string;
  readonly types: ReadonlyMap<string, GoType>;
}

const skipped = /(?:_test|^generated\.pb|^zz_generated\..*|_fuzz|_string|swagger_doc_generated)\.go$/;

/** All types of the package in that folder. */
export function readGoPackage(path: string, folder: string): GoPackage {
  const types = new Map<string, GoType>();
  const read: GoPackage = { path, types };
  for (const file of globSync("*.go", { cwd: folder }).sort()) {
    if (skipped.test(file)) continue;
    const text = withoutComments(readFileSync(join(folder, file), "utf8"));
    const imports = readImports(text);
    for (const [, name = "", rest = ""] of text.matchAll(/^type (\w+) (?:= )?([^\n]+)$/gm)) {
      if (!rest.startsWith("struct")) types.set(name, { kind: "named", package: read, name, imports, type: rest });
    }
    for (const [, name = "", body = ""] of text.matchAll(/^type (\w+) struct ?\{(\}|[^]*?\n\})/gm)) {
      types.set(name, { kind: "struct", package: read, name, imports, fields: readFields(body.replace(/\}$/, "")) });
    }
  }
  return read;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/(^|[\t {};])\/\/[^\n]*/gm, "$1");
}

function readImports(text: string): ReadonlyMap<string, string> {
  const imports = new Map<string, string>();
  const block = /^import \(([^)]*)\)/m.exec(text)?.[1] ?? /^import ([^\n]*)$/m.exec(text)?.[1] ?? "";
  for (const [, alias, path = ""] of block.matchAll(/^\s*(?:([\w.]+) )?"([^"]+)"/gm)) {
    imports.set(alias ?? path.slice(path.lastIndexOf("/") + 1), path);
  }
  return imports;
}

function readFields(body: string): readonly GoField[] {
  const fields: GoField[] = [];
  for (const line of body.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const [, declared = "", tag = ""] = /^([^`]+?)\s*(?:`([^`]*)`)?$/.exec(line) ?? [];
    const words = declared.split(/\s+/);
    const tags = new Map([...tag.matchAll(/(\w+):"([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]));
    if (words.length === 1) {
      const type = words[0] ?? "";
      fields.push({ name: type.slice(type.lastIndexOf(".") + 1).replace(/^\*/, ""), type, embedded: true, tags });
    } else if (words.length === 2) {
      fields.push({ name: words[0] ?? "", type: words[1] ?? "", embedded: false, tags });
    } else if (tag !== "") {
      throw new Error(`unsupported form of a field: ${line}`);
    }
  }
  return fields;
}
