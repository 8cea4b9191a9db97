// SPDX-License-Identifier: Apache-2.0
// `npm run bench [-- NAME ...]`: runs bench/NAME.ts, or all of them one after another, each in its own process. An
// output line that is a JSON object is a result; results are written to bench/results/NAME.jsonl, which git ignores.
// With --record the bench's section of docs/numbers.md is replaced.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { renderNumbers, replaceNumbers } from "./numbers-page.ts";
import { root, runNode, runTool } from "./project.ts";
import { listFiles } from "./read-requirements.ts";

const resultsDir = join(root, "bench/results");
const numbersPath = join(root, "docs/numbers.md");

function isResult(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false; // ordinary text that starts with a brace
    throw error;
  }
}

async function record(name: string, results: readonly string[]): Promise<void> {
  const place = {
    day: new Date().toISOString().slice(0, 10),
    nodeVersion: process.versions.node,
    coreCount: cpus().length,
  };
  const section = renderNumbers(name, results, place);
  writeFileSync(numbersPath, replaceNumbers(readFileSync(numbersPath, "utf8"), name, section));
  await runTool("biome", ["format", "--write", numbersPath]);
}

async function runBench(path: string, isRecorded: boolean): Promise<boolean> {
  const name = basename(path, ".ts");
  const results: string[] = [];
  console.log(`== ${name}`);
  const finished = await runNode(["--expose-gc", join(root, path)], {
    onLine: (line) => {
      if (isResult(line)) results.push(line);
      console.log(line);
    },
    onErrorText: (text) => void process.stderr.write(text),
  });
  writeFileSync(join(resultsDir, `${name}.jsonl`), results.map((line) => `${line}\n`).join(""));
  if (isRecorded && finished.code === 0) await record(name, results);
  const outcome = finished.code === 0 ? "done" : `FAILED with exit code ${finished.code}`;
  console.log(`== ${name} ${outcome} in ${(finished.tookMs / 1000).toFixed(1)} s, ${results.length} results\n`);
  return finished.code === 0;
}

async function main(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => word !== "--record");
  const known = listFiles(["bench/*.ts"]);
  const unknown = names.filter((name) => !known.includes(`bench/${name}.ts`));
  if (unknown.length > 0) {
    const list = known.map((path) => basename(path, ".ts")).join(", ");
    console.error(`no such bench: ${unknown.join(", ")}; available: ${list === "" ? "none" : list}`);
    return 2;
  }
  mkdirSync(resultsDir, { recursive: true });
  writeFileSync(join(resultsDir, ".gitignore"), "*\n");
  let failedCount = 0;
  for (const path of names.length === 0 ? known : names.map((name) => `bench/${name}.ts`)) {
    if (!(await runBench(path, words.includes("--record")))) failedCount += 1;
  }
  return failedCount === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
