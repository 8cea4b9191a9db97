// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { scanSource } from "../../scripts/scan-source.ts";
import { findImports, packageOf } from "./imports.ts";

function importsOf(text: string): string[] {
  return findImports("src/hub/a.ts", scanSource(text)).map(({ kind, specifier }) => `${kind} ${specifier}`);
}

describe("finding imports", () => {
  test.each([
    ["named", 'import { a, type B as C } from "./b.ts";', ["static ./b.ts"]],
    ["named over lines", 'import {\n  a, // why\n  b,\n} from "./b.ts";', ["static ./b.ts"]],
    ["default and named", 'import a, { b } from "c";', ["static c"]],
    ["namespace", 'import * as a from "c";', ["static c"]],
    ["default and namespace", "import a, * as b from 'c';", ["static c"]],
    ["without spaces", 'import{a}from"c";', ["static c"]],
    ["for its effect", 'import "./b.ts";', ["static ./b.ts"]],
    ["with attributes", 'import a from "./b.json" with { type: "json" };', ["static ./b.json"]],
    ["types", 'import type { A } from "./b.ts";', ["type ./b.ts"]],
    ["a default type", 'import type A from "./b.ts";', ["type ./b.ts"]],
    ["a value that is called type", 'import type from "./b.ts";', ["static ./b.ts"]],
    ["re-export", 'export { a } from "./b.ts";\nexport * from "./c.ts";', ["static ./b.ts", "static ./c.ts"]],
    ["re-export of types", 'export type { A } from "./b.ts";', ["type ./b.ts"]],
    ["after an export without a semicolon", 'export interface A {}\nimport { b } from "./b.ts";', ["static ./b.ts"]],
    ["dynamic", 'const a = await import("./b.ts");', ["dynamic ./b.ts"]],
    ["as a type", 'let a: import("./b.ts").A;', ["dynamic ./b.ts"]],
    ["computed", "await import(path);", ["computed "]],
    ["computed by a template", "await import(`./${name}.ts`);", ["computed ./${name}.ts"]],
    ["the entry of a worker", 'new Worker(new URL("./b-worker.ts", import.meta.url));', ["url ./b-worker.ts"]],
    ["a URL of the network is none", 'new URL("./b", base);', []],
    ["a comment is none", '// import { a } from "./b.ts";\n/* import "c"; */', []],
    ["a string is none", "const a = 'import { b } from \"./b.ts\";';", []],
    ["import.meta is none", "const a = import.meta.url;", []],
    ["a member is none", 'loader.import("./b.ts");', []],
  ])("%s", (_name, text, expected) => {
    expect(importsOf(text)).toEqual(expected);
  });

  test("a relative specifier is resolved from the file, a package is not", () => {
    const found = findImports("src/hub/a.ts", scanSource('import "../base/b.ts";\nimport "pino";'));
    expect(found.map(({ target }) => target)).toEqual(["src/base/b.ts", undefined]);
  });

  test("the package of a subpath", () => {
    expect(packageOf("@bufbuild/protobuf/wkt")).toBe("@bufbuild/protobuf");
    expect(packageOf("zod/mini")).toBe("zod");
  });
});
