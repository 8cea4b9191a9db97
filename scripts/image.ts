// SPDX-License-Identifier: Apache-2.0
// `npm run image [-- FLAGS]`: the container image, as an OCI layout and archives, without a container engine; with
// --push it is published too.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { onAbort } from "../src/base/abort.ts";
import { createProgress } from "../src/cli/output/progress.ts";
import { isImageName } from "../src/model/image-name.ts";
import { type Architecture, architectures, type PackageSource, updateBaseLock } from "./image/base-packages.ts";
import { buildImage, imageNameOf, readImageFacts, writeImage } from "./image/build-image.ts";
import { ImageError } from "./image/image-error.ts";
import { parsePushTarget, pushImage } from "./image/push-image.ts";
import { root } from "./project.ts";

const usage = `usage: npm run image -- [--out FOLDER] [--name NAME] [--arch amd64,arm64] [--push NAME] [--base-from FOLDER] [--update-base]
  --out          where the image is written (default: dist-image, or with --push nowhere)
  --name         name of the image in its archives (default: flotilla.dev/flotilla:VERSION)
  --arch         architectures, separated by commas (default: both)
  --push         pushes to that registry, name and tag, with the credential of docker login
  --base-from    folder with the .deb files of scripts/image/base-packages.json, in place of fetching them
  --update-base  pins the newest packages of Debian first`;

const progress = createProgress(
  {
    stdout: { write: (text) => process.stdout.write(text), isTerminal: process.stdout.isTTY },
    stderr: { write: (text) => process.stderr.write(text), isTerminal: process.stderr.isTTY },
    env: process.env,
    now: Date.now,
  },
  "text",
);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort(new Error(signal)));

/** Exit code that shells use for Ctrl-C. */
const stoppedExitCode = 130;

function say(line: string): void {
  progress.io.stderr.write(`image: ${line}\n`);
}

function print(path: string): void {
  progress.io.stdout.write(`${path}\n`);
}

/** The work's result, or the signal's reason as soon as it aborts. */
async function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  const unlisten = onAbort(signal, () => stopped.reject(signal.reason));
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    unlisten();
  }
}

function readArchitectures(text: string): readonly Architecture[] {
  const wanted = text.split(",");
  const unknown = wanted.find((name) => !architectures.some((each) => each === name));
  if (unknown !== undefined)
    throw new ImageError(
      `${JSON.stringify(unknown)} is not an architecture of the image; it has ${architectures.join(" and ")}.`,
      { isUsage: true },
    );
  return architectures.filter((each) => wanted.includes(each));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: "string" },
      name: { type: "string" },
      arch: { type: "string", default: architectures.join(",") },
      push: { type: "string" },
      "base-from": { type: "string" },
      "update-base": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const show = (step: string): void => progress.show(`image: ${step}`);
  const source: PackageSource = { env: process.env, folder: values["base-from"], say, show, signal: stop.signal };
  const facts = readImageFacts(process.env);
  const wanted = readArchitectures(values.arch);
  const target = values.push === undefined ? undefined : parsePushTarget(values.push);
  const name = values.name ?? imageNameOf(facts);
  if (!isImageName(name))
    throw new ImageError(`${JSON.stringify(name)} is not the name of an image.`, { isUsage: true });
  if (values["update-base"]) for (const line of updateBaseLock(source)) say(line);
  const image = await buildImage(wanted, facts, source);
  for (const { architecture, layers } of image.platforms) {
    const sizes = layers.map(({ descriptor }) => descriptor.size / 1e6);
    const [base = 0, node = 0, own = 0] = sizes;
    const total = (base + node + own).toFixed(1);
    say(
      `${architecture}: ${total} MB (${base.toFixed(1)} libraries, ${node.toFixed(1)} Node, ${own.toFixed(1)} Flotilla)`,
    );
  }
  const out = values.out ?? (target === undefined ? join(root, "dist-image") : undefined);
  await setImmediate(); // lets a pending signal be handled before anything is written
  stop.signal.throwIfAborted();
  if (out !== undefined) {
    show(`writing ${out}`);
    mkdirSync(out, { recursive: true });
    for (const path of writeImage(resolve(out), image, name, source)) print(path);
  }
  if (target === undefined) return;
  show(`pushing to ${values.push}`);
  print(await unlessStopped(pushImage(image, target, { env: process.env, say }), stop.signal));
}

try {
  await main();
  progress.clear();
} catch (reason) {
  progress.clear();
  await setImmediate(); // a child process ends by the same Ctrl-C before our signal handler runs
  if (stop.signal.aborted) process.exit(stoppedExitCode);
  const isWrongFlag =
    reason instanceof TypeError && "code" in reason && String(reason.code).startsWith("ERR_PARSE_ARGS");
  if (!(reason instanceof ImageError) && !isWrongFlag) throw reason;
  console.error(`image: ${reason.message}${isWrongFlag ? `\n${usage}` : ""}`);
  process.exitCode = isWrongFlag || (reason instanceof ImageError && reason.isUsage) ? 2 : 1;
}
