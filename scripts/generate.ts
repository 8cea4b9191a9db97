// SPDX-License-Identifier: Apache-2.0
// `npm run generate`: writes every generated file. With `--check` it writes nothing and fails if one is out of date.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findOutdated, generateFiles } from "./generated-files.ts";
import { root } from "./project.ts";

const check = process.argv.includes("--check");
const generated = await generateFiles();
const outdated = findOutdated(generated);
for (const path of outdated) {
  const text = generated.files.get(path);
  if (check) {
    console.log(`out of date: ${path}`);
  } else if (text === undefined) {
    rmSync(join(root, path));
    console.log(`removed: ${path}`);
  } else {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`written: ${path}`);
  }
}
if (check && outdated.length > 0) {
  console.log("run `npm run generate` and commit what it writes");
  process.exitCode = 1;
} else if (outdated.length === 0) {
  console.log(`${generated.files.size} generated files are up to date`);
}
