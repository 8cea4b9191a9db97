// SPDX-License-Identifier: Apache-2.0
// A registry and a judge of images that are not ours: a small program over go-containerregistry, built once into the
// user's cache.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { imageCache } from "../../scripts/image/base-packages.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const moduleVersion = "v0.22.1";

/** The program, built with the machine's Go if it is not there yet; a text that says why where that is not possible. */
export async function findRegistry(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const program = join(imageCache(process.env), `registry-${moduleVersion}`);
  if (existsSync(program)) return { program };
  using folder = openTempFolder();
  copyFileSync(fileURLToPath(new URL("./registry.go.txt", import.meta.url)), join(folder.path, "main.go"));
  const module = ["module flotilla.invalid/registry", "go 1.26"];
  const required = `require github.com/google/go-containerregistry ${moduleVersion}`;
  writeFileSync(join(folder.path, "go.mod"), `${[...module, required].join("\n")}\n`);
  try {
    const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off", CGO_ENABLED: "0" };
    await promisify(execFile)("go", ["build", "-o", "registry", "."], { cwd: folder.path, env });
    mkdirSync(imageCache(process.env), { recursive: true });
    copyFileSync(join(folder.path, "registry"), `${program}.${process.pid}`);
    renameSync(`${program}.${process.pid}`, program);
    return { program };
  } catch (reason) {
    const text = reason instanceof Error ? (reason.message.split("\n")[0] ?? "") : String(reason);
    return { missing: `the registry of go-containerregistry cannot be built with Go: ${text}` };
  }
}

/** Has the program check an image: `valid`, else what it found. */
export async function judge(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, [...args], { stdio: ["ignore", "ignore", "pipe"] });
  let found = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    found += text;
  });
  const [code]: unknown[] = await once(child, "close");
  return code === 0 ? "valid" : found;
}

/** A registry that runs. */
export interface RunningRegistry extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  /** Each request as `METHOD PATH`, in order. */
  requests(): readonly string[];
}

/** Starts a registry on loopback; with a user and a password it asks for them. */
export async function openRegistry(program: string, credential: readonly string[] = []): Promise<RunningRegistry> {
  const child = spawn(program, ["serve", ...credential], { stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  let rest = "";
  const started = new Promise<string>((done, fail) => {
    child.once("error", fail);
    child.once("close", () => fail(new Error("the registry ended before it served")));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const parts = `${rest}${text}`.split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
      const [address] = lines;
      if (address !== undefined) done(address);
    });
  });
  return {
    address: await started,
    requests: () => lines.slice(1),
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, "close");
      child.stdin.end();
      await closed;
    },
  };
}
