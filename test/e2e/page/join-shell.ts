// SPDX-License-Identifier: Apache-2.0
// A shell in which the page's join command is run as it stands. Its kubectl only keeps what it is given: there is no kubelet that would start the agent.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parseAllDocuments } from "yaml";
import { root } from "../../../scripts/project.ts";
import { promptEnvironment, runProgram } from "../run-program.ts";

interface ManifestObject {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } };
  };
}

/** The arguments with which the kubelet would start the agent, with the files that it would mount, in this folder. */
export async function runJoinCommand(command: string, folder: string): Promise<readonly string[]> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const entry = join(root, "src/main/flotilla.ts");
  const manifestFile = join(folder, "manifest.yaml");
  const wordsFile = join(folder, "kubectl-words");
  writeScript(join(bin, "flotilla"), `exec '${process.execPath}' '${entry}' "$@"`);
  writeScript(
    join(bin, "kubectl"),
    `case "$*" in "apply -f -") cat > '${manifestFile}';; *) printf '%s\\n' "$@" >> '${wordsFile}';; esac`,
  );
  const result = await runProgram("bash", ["-c", command], { cwd: folder, env: promptEnvironment([bin]) });
  expect([result.code, result.stderr]).toEqual([0, ""]);
  const words = readFileSync(wordsFile, "utf8").split("\n");
  const [token] = words.flatMap((word) => /^--from-literal=token=(.+)$/.exec(word)?.[1] ?? []);
  const objects = parseAllDocuments(readFileSync(manifestFile, "utf8")).map((each) => each.toJS() as ManifestObject);
  const ca = objects.find(({ kind }) => kind === "ConfigMap")?.data?.["ca.crt"] ?? "";
  const args = objects.find(({ kind }) => kind === "Deployment")?.spec?.template.spec.containers[0]?.args ?? [];
  writeFileSync(join(folder, "join-token"), token ?? "", { mode: 0o600 });
  writeFileSync(join(folder, "hub-ca.crt"), ca);
  const places = new Map([
    ["--ca-file", join(folder, "hub-ca.crt")],
    ["--join-token-file", join(folder, "join-token")],
    ["--admin-address", "127.0.0.1"],
    ["--admin-port", "0"],
  ]);
  return args.map((word) => {
    const [name = ""] = word.split("=");
    const place = places.get(name);
    return place === undefined ? word : `${name}=${place}`;
  });
}

function writeScript(file: string, line: string): void {
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}
