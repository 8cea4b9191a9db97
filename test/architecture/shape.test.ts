// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { checkAny, checkDefaultExport, checkEmptyCatch, checkLength, checkLicenceLine, checkNames } from "./shape.ts";
import { type SourceFile, toSourceFile, type Violation } from "./source-tree.ts";

type Check = (files: readonly SourceFile[]) => Violation[];

function rules(check: Check, path: string, text = ""): string[] {
  return check([toSourceFile(path, text)]).map(({ rule }) => rule);
}

describe("the licence line", () => {
  const line = "// SPDX-License-Identifier: Apache-2.0\n";
  test.each([
    ["missing", "export const a = 1;\n", ["licence"]],
    ["later than first", `\n${line}`, ["licence"]],
    ["another licence", "// SPDX-License-Identifier: MIT\n", ["licence"]],
    ["first", `${line}export const a = 1;\n`, []],
    ["after the interpreter", `#!/usr/bin/env node\n${line}`, []],
  ])("%s", (_name, text, expected) => {
    expect(rules(checkLicenceLine, "src/hub/a.ts", text)).toEqual(expected);
  });

  test("generated files are left alone", () => {
    expect(rules(checkLicenceLine, "src/gen/a_pb.ts", "/* eslint-disable */")).toEqual([]);
  });
});

describe("length", () => {
  test("400 lines pass, 401 do not, unless generated", () => {
    expect(rules(checkLength, "src/hub/a.ts", "a;\n".repeat(400))).toEqual([]);
    expect(rules(checkLength, "src/hub/a.ts", "a;\n".repeat(401))).toEqual(["length"]);
    expect(rules(checkLength, "src/gen/a.ts", "a;\n".repeat(401))).toEqual([]);
  });
});

describe("names", () => {
  test.each([
    ["src/hub/sessionRegistry.ts", ["kebab-case"]],
    ["src/hub/session_registry.ts", ["kebab-case"]],
    ["src/hub/Session.ts", ["kebab-case"]],
    ["src/hub/session-manager.ts", ["banned-name"]],
    ["src/hub/utils/session.ts", ["banned-name"]],
    ["src/hub/string-helpers.test.ts", ["banned-name"]],
    ["src/hub/data.ts", ["banned-name"]],
    ["src/hub/process.ts", ["banned-name"]],
    ["src/hub/session-v2.ts", ["banned-name"]],
    ["src/hub/session-registry.ts", []],
    ["src/hub/session.prop.test.ts", []],
    ["src/hub/data-dir.ts", []],
    ["src/gen/flotilla/admin/v1/admin_pb.ts", []],
  ])("%s", (path, expected) => {
    expect(rules(checkNames, path)).toEqual(expected);
  });
});

describe("dropped errors", () => {
  test.each([
    ["try { a(); } catch {}", 1],
    ["try { a(); } catch (error) {\n  // never mind\n}", 1],
    ["a().catch(() => {});", 1],
    ["a().catch(async (error) => {});", 1],
    ["try { a(); } catch (error) { log(error); }", 0],
    ["a().catch((error) => log(error));", 0],
    ["const text = 'catch {}';", 0],
  ])("%s", (text, count) => {
    expect(rules(checkEmptyCatch, "src/hub/a.ts", text)).toHaveLength(count);
  });
});

describe("default exports", () => {
  test.each([
    ["export default class A {}", 1],
    ["const a = 1;\nexport { a as default };", 1],
    ["export { default as a } from './a.ts';", 0],
    ["export const a = 1;", 0],
  ])("%s", (text, count) => {
    expect(rules(checkDefaultExport, "src/hub/a.ts", text)).toHaveLength(count);
  });
});

describe("the type any", () => {
  test.each([
    ["let a: any;", 1],
    ["const a = b as any;", 1],
    ["const a: any[] = [];", 1],
    ["function f(a: string, b: any): void {}", 1],
    ["type A = Record<string, any>;", 1],
    ["type A = any | string;", 1],
    ["type A = () => any;", 1],
    ["Promise.any(a); AbortSignal.any([b]);", 0],
    ["const expected = { any: 1 }; if (a.any) b();", 0],
    ["// as any good comment\nconst a = ': any';", 0],
    ["const many: string = company;", 0],
  ])("%s", (text, count) => {
    expect(rules(checkAny, "src/hub/a.ts", text)).toHaveLength(count);
  });
});
