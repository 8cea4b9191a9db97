// SPDX-License-Identifier: Apache-2.0
// `npm run build [-- --out FOLDER]`: a publishable package of built JavaScript, by default in dist/. The folder is replaced.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundleAgent } from "./bundle-agent.ts";
import { writeBin } from "./package-entry.ts";
import { renderPackageManifest, thirdPartyPath } from "./package-manifest.ts";
import { root, runTool } from "./project.ts";
import { renderThirdParty } from "./third-party.ts";

/** Copied as they are; those that are not there yet are left out, and said so. */
const copied = ["sql", "ui/dist", "README.md", "LICENSE"];

async function build(outDir: string): Promise<number> {
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const compiled = await runTool("tsc", ["-p", "tsconfig.build.json", "--outDir", outDir]);
  if (compiled.code !== 0) {
    console.error(compiled.output.trim());
    return 1;
  }
  for (const name of copied) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(outDir, name), { recursive: true });
    else console.log(`left out: ${name} is not there`);
  }
  writeFileSync(join(outDir, "package.json"), renderPackageManifest(readFileSync(join(root, "package.json"), "utf8")));
  writeBin(outDir);
  const { moduleFiles } = await bundleAgent(outDir);
  writeFileSync(join(outDir, thirdPartyPath), renderThirdParty(moduleFiles));
  console.log(`built: ${outDir}`);
  return 0;
}

const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "dist") } } });
process.exitCode = await build(resolve(values.out));
