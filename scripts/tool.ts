// SPDX-License-Identifier: Apache-2.0
// Runs one tool of node_modules with the chosen Node: `scripts/tool.ts biome format --write .`
import { existsSync } from "node:fs";
import { runTool, toolPath } from "./project.ts";

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !/^[a-z-]+$/.test(name) || !existsSync(toolPath(name))) {
  console.error(`usage: scripts/tool.ts TOOL [ARGUMENT ...]; ${name ?? "nothing"} is not a tool of node_modules/.bin`);
  process.exitCode = 2;
} else {
  process.exitCode = (await runTool(name, args, { output: "inherit" })).code;
}
