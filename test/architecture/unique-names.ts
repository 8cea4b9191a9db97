// SPDX-License-Identifier: Apache-2.0
// A name that two files export, or two files have, is found twice by a search.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "../../scripts/project.ts";
import { listFiles } from "../../scripts/read-requirements.ts";
import { isGenerated, isTestCode, type Violation } from "./source-tree.ts";

/** A file by its path and text. */
export interface NamedSource {
  readonly path: string;
  readonly text: string;
}

const exportedType = /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm;

/** The files whose names have to differ: all that is shipped, without what is generated. */
export function readNamedSources(): NamedSource[] {
  return listFiles(["src/**/*.ts", "ui/src/**/*.ts", "ui/src/**/*.tsx"])
    .filter((path) => !isGenerated(path) && !isTestCode(path) && !path.endsWith(".test.tsx"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Exported types have one name each, and so have files. */
export function checkUniqueNames(files: readonly NamedSource[]): Violation[] {
  const types = files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(exportedType), ([, name = ""]): [string, string] => [name, path]),
  );
  const paths = files.map(({ path }): [string, string] => [basename(path), path]);
  return [...findTwice("unique-type", types), ...findTwice("unique-file", paths)];
}

function findTwice(rule: string, named: readonly (readonly [string, string])[]): Violation[] {
  const first = new Map<string, string>();
  return named.flatMap(([name, path]) => {
    const other = first.get(name);
    if (other === undefined || other === path) {
      first.set(name, path);
      return [];
    }
    return [{ rule, path, line: 1, message: `${name} is a name of ${other} too` }];
  });
}
