// SPDX-License-Identifier: Apache-2.0
// The licences of packages whose code is in the published package.
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { readText } from "./package-manifest.ts";

/** The folder of the package that a module belongs to; undefined if it is our own. */
export function packageFolderOf(moduleFile: string): string | undefined {
  const mark = `${sep}node_modules${sep}`;
  const at = moduleFile.lastIndexOf(mark);
  if (at < 0) return undefined;
  const [first = "", second = ""] = moduleFile.slice(at + mark.length).split(sep);
  return join(moduleFile.slice(0, at + mark.length), first.startsWith("@") ? join(first, second) : first);
}

/**
 * The name, version and licence of every package that these modules come from, sorted by name. Throws if a package has
 * no licence text, neither in a file nor at the head of these modules, because its code must not be copied then.
 */
export function renderThirdParty(moduleFiles: readonly string[]): string {
  const byFolder = Map.groupBy(moduleFiles, packageFolderOf);
  const parts = [...byFolder].flatMap(([folder, files]) =>
    folder === undefined ? [] : [renderPackage(folder, files)],
  );
  const head = "The folders `agent` and `program` hold code of these packages, under the licences that follow.\n";
  return [head, ...parts.toSorted()].join(`\n${"-".repeat(80)}\n\n`);
}

function renderPackage(folder: string, moduleFiles: readonly string[]): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [name, version, licence] = ["name", "version", "license"].map((field) => readText(manifest, field));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
  const terms = texts.length > 0 ? texts : readHeads(moduleFiles);
  if (terms.length === 0) throw new Error(`${name} cannot be bundled: no licence is found in it`);
  return `${name} ${version} (${licence})\n\n${terms.join("\n\n")}\n`;
}

/** The distinct copyright notices at the start of these files. */
function readHeads(moduleFiles: readonly string[]): readonly string[] {
  const heads = moduleFiles.map((file) => /^(\/\/.*\r?\n)+/.exec(readFileSync(file, "utf8"))?.[0] ?? "");
  const notices = heads.filter((head) => /copyright/i.test(head)).map((head) => head.replace(/^\/\/ ?/gm, "").trim());
  return [...new Set(notices)].toSorted();
}
