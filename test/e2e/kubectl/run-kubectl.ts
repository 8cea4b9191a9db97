// SPDX-License-Identifier: Apache-2.0
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Kubectl } from "./find-kubectl.ts";

/**
 * The slowest commands follow a rollout for ten seconds, on a machine with nothing else to do; one that hangs is ended.
 */
const commandLimitMs = 120_000;

/** Where commands go. */
export interface KubectlServer {
  readonly url: string;
  /** PEM text. */
  readonly ca: string;
  /** By user name; the first is whom commands speak as unless they choose another context. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** What a command printed and how it ended. `code` is null for one that was ended. */
export interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlPlace {
  readonly kubectl: Kubectl;
  readonly server: KubectlServer;
  /** Of this place alone: home, caches and the kubeconfig go there. */
  readonly folder: string;
  readonly namespace: string;
  /** Where relative file names of commands begin. */
  readonly cwd: string;
}

/** A kubectl set up for one server and namespace, with nothing of the user's own. */
export class KubectlRunner {
  readonly #place: KubectlPlace;
  readonly #env: NodeJS.ProcessEnv;

  constructor(place: KubectlPlace) {
    this.#place = place;
    const { folder } = place;
    mkdirSync(folder, { recursive: true });
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigText(place), { mode: 0o600 });
    const path = process.env["PATH"] ?? "";
    this.#env = {
      PATH: path,
      HOME: folder,
      KUBECACHEDIR: join(folder, "cache"),
      KUBECONFIG: kubeconfig,
      TMPDIR: folder,
    };
  }

  /** Starts a command; for those that go on until they are ended. */
  start(words: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams {
    return spawn(this.#place.kubectl.path, [...words], {
      cwd: this.#place.cwd,
      env: { ...this.#env, ...env },
      timeout: commandLimitMs,
      killSignal: "SIGKILL",
    });
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<KubectlResult> {
    const child = this.start(words, env);
    child.stdin.end();
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    await once(child, "close");
    return { code: child.exitCode, stdout, stderr };
  }
}

/** JSON is YAML, so kubectl reads it. */
function kubeconfigText({ server, namespace }: KubectlPlace): string {
  const users = [...server.tokens];
  const cluster = { server: server.url, "certificate-authority-data": Buffer.from(server.ca).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "tested", cluster }],
    users: users.map(([name, token]) => ({ name, user: { token } })),
    contexts: users.map(([name]) => ({ name, context: { cluster: "tested", user: name, namespace } })),
    "current-context": users[0]?.[0] ?? "",
  });
}
