// SPDX-License-Identifier: Apache-2.0
// A shell in which the page's join line is run as it stands. Its kubectl only keeps what it is given: there is no
// kubelet that would start the agent.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { promptEnvironment, runProgram } from "../run-program.ts";
import { writeJoinFiles } from "./join-files.ts";

/** The arguments with which the kubelet would start the agent, with the files that it would mount, in this folder. */
export async function runJoinCommand(command: string, folder: string): Promise<readonly string[]> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const manifestFile = join(folder, "manifest.yaml");
  const kubectl = join(bin, "kubectl");
  writeFileSync(kubectl, `#!/bin/sh\n[ "$*" = "apply -f -" ] && cat > '${manifestFile}'\n`);
  chmodSync(kubectl, 0o755);
  const result = await runProgram("bash", ["-c", command], { cwd: folder, env: promptEnvironment([bin]) });
  expect([result.code, result.stderr]).toEqual([0, ""]);
  return writeJoinFiles(readFileSync(manifestFile, "utf8"), folder);
}
