// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Kubectl } from "./find-kubectl.ts";
import { parseTranscript, type Step } from "./parse-transcript.ts";
import { KubectlRunner, type KubectlServer } from "./run-kubectl.ts";

/** Every transcript, in the order of playing. */
export const transcriptNames = [
  "apply",
  "create",
  "get",
  "change",
  "delete",
  "rollout",
  "describe",
  "access",
  "discovery",
] as const;

/** How often the namespace is asked whether Pods can be made in it: a command takes a tenth of a second and more. */
const askCount = 100;

const here = import.meta.dirname;

/** Reads the transcript of that name. */
export function readTranscript(name: string): readonly Step[] {
  return parseTranscript(readFileSync(join(here, "transcripts", `${name}.txt`), "utf8"));
}

/** A runner in a namespace of its own, named as the transcript, where Pods can be made; widgets are defined. */
export async function prepareTranscript(
  name: string,
  { kubectl, server, folder }: { readonly kubectl: Kubectl; readonly server: KubectlServer; readonly folder: string },
): Promise<KubectlRunner> {
  const cwd = join(here, "manifests");
  const runner = new KubectlRunner({ kubectl, server, folder: join(folder, name), namespace: name, cwd });
  await mustRun(runner, ["create", "namespace", name]);
  await mustRun(runner, ["apply", "-f", "widget-crd.yaml"]);
  await mustRun(runner, ["wait", "--for=condition=Established", "crd/widgets.example.com"]);
  const defaults = ["get", "serviceaccount/default", "configmap/kube-root-ca.crt"];
  for (let asked = 1; (await runner.run(defaults)).code !== 0; asked += 1) {
    if (asked === askCount) throw new Error(`namespace ${name} does not get what every namespace has`);
  }
  return runner;
}

async function mustRun(runner: KubectlRunner, words: readonly string[]): Promise<void> {
  const { code, stderr } = await runner.run(words);
  if (code !== 0) throw new Error(`kubectl ${words.join(" ")}: ${stderr}`);
}
