// SPDX-License-Identifier: Apache-2.0
// `npm run build [-- --out FOLDER]`: a publishable package, by default in dist/. The folder is replaced.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildPackage } from "./build-package.ts";
import { root } from "./project.ts";

const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
const outDir = resolve(values.out);
for (const name of await buildPackage(outDir)) console.log(`left out: ${name} does not exist`);
console.log(`built: ${outDir}`);
