// SPDX-License-Identifier: Apache-2.0
// Builds the programs of the Kubernetes kit with the machine's Go, only from the Go module registry.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { onAbort, throwIfAborted } from "../src/base/abort.ts";
import {
  isKitBuilt,
  KitError,
  type KitModule,
  kitFolder,
  kitModules,
  kitRecord,
  stagesFolder,
} from "./kubernetes-kit.ts";

/** Packages compiled in parallel. The largest take up to 1 GB each, and the machine may be shared. */
const parallelJobs = 2;

/** Maximum length of a failed command's shown output; Go prints few errors, and the first ones matter. */
const shownOutputLength = 4_000;

/**  */
export interface BuildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly kubernetesVersion: string;
  /** Called with one line for each step. */
  readonly say: (line: string) => void;
  /** Aborts the running command; the build then fails and leaves nothing behind. */
  readonly signal: AbortSignal;
}

/** Runs Go in a folder and returns its output. Throws a KitError with Go's errors if it fails. */
async function runGo(args: readonly string[], folder: string, { env, signal }: BuildOptions): Promise<string> {
  const child = spawn("go", [...args], {
    cwd: folder,
    // The caller's workspace or vendor mode does not apply to our small modules.
    env: { ...env, GOWORK: "off", GOFLAGS: "-mod=mod", CGO_ENABLED: "0", GOMAXPROCS: String(parallelJobs) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Go removes its temporary folders only on SIGINT.
  const unlisten = onAbort(signal, () => child.kill("SIGINT"));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = `${stderr}${text}`.slice(-shownOutputLength);
  });
  const code = await new Promise<number | null>((done, fail) => {
    child.once("error", (error: NodeJS.ErrnoException) => fail(error.code === "ENOENT" ? noGo() : error));
    child.once("close", done);
  }).finally(unlisten);
  throwIfAborted(signal);
  if (code === 0) return stdout;
  throw new KitError(`\`go ${args.join(" ")}\` failed:\n${stderr.trim()}`);
}

function noGo(): KitError {
  return new KitError(
    "Go was not found. The Kubernetes kit is built with it: install Go 1.26 or newer (https://go.dev/dl) and put it on PATH, " +
      "or set KUBEBUILDER_ASSETS to a folder that contains kube-apiserver, etcd and kubectl.",
  );
}

interface DownloadedModule {
  /** The file go.mod as published. */
  readonly GoMod: string;
  /** The unpacked module; read-only. */
  readonly Dir: string;
}

function isDownloaded(value: unknown): value is DownloadedModule {
  return typeof value === "object" && value !== null && "GoMod" in value && "Dir" in value;
}

/**
 * The go.mod of a small module that requires only this one. `replace` lines are not inherited, so the modules that it
 * requires at v0.0.0 from its own folders are replaced by the published modules of `stagingVersion`.
 */
export function moduleFile(module: KitModule, published: string): string {
  const [, goVersion = "1.26"] = /^go (\S+)$/m.exec(published) ?? [];
  const staged = [...published.matchAll(/^\s*(?:require )?([\w./-]+) v0\.0\.0(?: \/\/ indirect)?$/gm)].map(
    ([, path]) => path,
  );
  const replaced = module.stagingVersion === undefined ? [] : [...new Set(staged)];
  const lines = [
    "module flotilla.invalid/kit",
    `go ${goVersion}`,
    `require ${module.path} ${module.version}`,
    ...replaced.map((path) => `replace ${path} => ${path} ${module.stagingVersion}`),
  ];
  return `${lines.join("\n")}\n`;
}

async function buildModule(module: KitModule, partial: string, options: BuildOptions): Promise<void> {
  const work = join(partial, "work", basename(dirname(module.path)) + basename(module.path));
  const bin = join(partial, "bin");
  mkdirSync(work, { recursive: true });
  const downloaded: unknown = JSON.parse(
    await runGo(["mod", "download", "-json", `${module.path}@${module.version}`], work, options),
  );
  if (!isDownloaded(downloaded)) throw new KitError(`Go did not report the folder of ${module.path}.`);
  writeFileSync(join(work, "go.mod"), moduleFile(module, readFileSync(downloaded.GoMod, "utf8")));
  const texts = Object.entries(module.linkedTexts).map(([name, text]) => `-X ${name}=${text}`);
  const linking = ["-s", "-w", ...texts].join(" ");
  for (const program of module.programs) {
    options.say(`building ${program.name} ${module.version}`);
    const target = ["-o", join(bin, program.name), program.package];
    await runGo(["build", "-trimpath", "-p", String(parallelJobs), "-ldflags", linking, ...target], work, options);
  }
  for (const file of module.stageFiles) {
    mkdirSync(join(bin, stagesFolder), { recursive: true });
    copyFileSync(join(downloaded.Dir, file), join(bin, stagesFolder, basename(file)));
  }
}

/** Moves a complete kit into place. If another build was first, its complete kit stays. */
function putInPlace(partial: string, folder: string, kubernetesVersion: string): void {
  if (isKitBuilt(folder, kubernetesVersion)) return;
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
}

/**
 * Builds the kit and returns its folder; does nothing if it exists. It is built in a temporary folder and renamed when
 * complete, so that a failed or stopped build leaves nothing. Throws a KitError for problems that the user can fix.
 */
export async function buildKit(options: BuildOptions): Promise<string> {
  const { env, kubernetesVersion, say } = options;
  const folder = kitFolder(env, kubernetesVersion);
  if (isKitBuilt(folder, kubernetesVersion)) return folder;
  const partial = `${folder}.partial-${process.pid}`;
  try {
    mkdirSync(join(partial, "bin"), { recursive: true });
    say(
      "the first build takes about seven minutes on two cores; Go keeps what it compiled, so a later one takes seconds",
    );
    for (const module of kitModules(kubernetesVersion)) await buildModule(module, partial, options);
    rmSync(join(partial, "work"), { recursive: true });
    writeFileSync(join(partial, "kit.json"), kitRecord(kubernetesVersion));
    putInPlace(partial, folder, kubernetesVersion);
    say(`the kit is in ${join(folder, "bin")}`);
    return folder;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
