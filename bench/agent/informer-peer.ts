// SPDX-License-Identifier: Apache-2.0
// The peers of the agent's memory: programs that keep all Pods of a cluster, each in a process of its own.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FlotillaProcess } from "../support/flotilla-process.ts";
import { type Memory, measureMemory } from "./process-memory.ts";

/** The version that the test kit is built from, so that its modules are there. */
const clientGo = "k8s.io/client-go v0.36.3";

/** A first build compiles client-go; on two busy cores that takes some minutes. */
const buildLimitMs = 300_000;

/** How long a peer may rest before its memory is read; Go gives memory back for longer than Node. */
const restSeconds = 10;

/** Builds the program in Go. Undefined where that is not possible: without Go, or without its modules. */
export async function buildGoInformer(folder: string): Promise<string | undefined> {
  const given = process.env["BENCH_GO_INFORMER"];
  if (given !== undefined) return given === "" ? undefined : given;
  const place = join(folder, "informer");
  mkdirSync(place);
  copyFileSync(fileURLToPath(new URL("./informer.go.txt", import.meta.url)), join(place, "main.go"));
  writeFileSync(join(place, "go.mod"), `module bench.flotilla.dev/informer\n\ngo 1.26\n\nrequire ${clientGo}\n`);
  try {
    const env = { ...process.env, GOFLAGS: "-mod=mod" };
    await promisify(execFile)("go", ["build", "-o", "informer", "."], { cwd: place, env, timeout: buildLimitMs });
    return join(place, "informer");
  } catch (reason) {
    console.log(`no client-go peer: ${reason instanceof Error ? reason.message.split("\n")[0] : String(reason)}`);
    return undefined;
  }
}

/** What the program needs once it has all Pods; it says "synced N" when it has. */
export async function measureInformer(
  start: { readonly command: string; readonly args: readonly string[]; readonly cwd: string },
  podCount: number,
): Promise<{ readonly syncMs: number; readonly memory: Memory }> {
  await using informer = new FlotillaProcess(start);
  const syncMs = await informer.untilSays(`synced ${podCount}`);
  return { syncMs, memory: await measureMemory(informer.pid, restSeconds) };
}
