// SPDX-License-Identifier: Apache-2.0
// What an agent's process loads. Each package that is not needed is memory in every cluster: @kubernetes/client-node
// alone about 80 MiB.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bundle } from "../../scripts/bundle.ts";
import { bundleAgent, bundlePath } from "../../scripts/bundle-agent.ts";
import { programPath } from "../../scripts/bundle-program.ts";
import { binPath, writeBin } from "../../scripts/package-entry.ts";
import { root } from "../../scripts/project.ts";
import { renderThirdParty } from "../../scripts/third-party.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { flotilla } from "./fleet/background-program.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";
import { promptEnvironment, runProgram } from "./run-program.ts";

const trace = pathToFileURL(join(root, "test/e2e/fleet/trace-modules.ts")).href;

/**
 * What an agent is made of: protobuf and Connect, pino and prom-client with what they bring, the hash. `yaml` reads
 * configuration files.
 */
const needed = new Set([
  "@bufbuild/protobuf",
  "@connectrpc/connect",
  "@connectrpc/connect-node",
  "@opentelemetry/api", // prom-client's; without an SDK it does nothing
  "@pinojs/redact",
  "atomic-sleep",
  "bintrees",
  "on-exit-leak-free",
  "pino",
  "pino-std-serializers",
  "prom-client",
  "quick-format-unescaped",
  "safe-stable-stringify",
  "sonic-boom",
  "tdigest",
  "thread-stream",
  "xxhash-wasm",
  "yaml",
]);

/** What pino-pretty brings: a file of its own in the bundle, which an agent loads only where a person reads its log. */
const ofPrettyLog = new Set([
  "colorette",
  "dateformat",
  "end-of-stream",
  "fast-copy",
  "fast-safe-stringify",
  "once",
  "pino-abstract-transport",
  "pino-pretty",
  "pump",
  "secure-json-parse",
  "split2",
  "wrappy",
]);

/** Top folders of our own source that no agent has anything of. */
const foreign = ["hub", "store", "apiserver", "playground"];

/** As a Pod, without the files that one has. */
const pod = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: "1" };
const podWords = ["agent", "--cluster-id", "pod", "--hub", "https://127.0.0.1:1", "--admin-port", "0"];

interface Loaded {
  readonly packages: ReadonlySet<string>;
  /** Top folders of our own source. */
  readonly folders: ReadonlySet<string>;
}

function readTrace(file: string): readonly string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

function sortModules(urls: readonly string[]): Loaded {
  const packages = urls.flatMap((url) => {
    const [first = "", second = ""] = url.split("/node_modules/").at(-1)?.split("/") ?? [];
    if (!url.includes("/node_modules/")) return [];
    return [first.startsWith("@") ? `${first}/${second}` : first];
  });
  const source = `${pathToFileURL(join(root, "src")).href}/`;
  const folders = urls
    .filter((url) => url.startsWith(source))
    .map((url) => url.slice(source.length).split("/")[0] ?? "");
  return { packages: new Set(packages), folders: new Set(folders) };
}

describe("the process of an agent", () => {
  const folder = openTempFolder();
  const variables = { NODE_OPTIONS: `--import=${trace}`, TRACE_FOLDER: folder.path };
  const fleet = new PlaygroundUp(1, variables);

  beforeAll(async () => {
    await fleet.start();
    await fleet.hub.untilState("eu-west-1", "live");
  });

  afterAll(async () => {
    expect(await fleet.close()).toBe(0);
    folder[Symbol.dispose]();
  });

  test("has loaded only the packages it needs when it is live, and none of the hub, the store or the API server", () => {
    const [pid] = fleet.agentPids("eu-west-1");
    const { packages, folders } = sortModules(readTrace(join(folder.path, `${pid}.modules`)));
    expect([...packages].filter((name) => !needed.has(name))).toEqual([]);
    expect(packages).toContain("@connectrpc/connect");
    expect(folders).toContain("session");
    for (const absent of foreign) expect(folders).not.toContain(absent);
  });

  test("loads no more as a Pod, as far as reading its service account", async () => {
    const before = new Set(readdirSync(folder.path));
    const { code, stderr } = await flotilla(folder.path, podWords, { ...variables, ...pod });
    expect(stderr).toMatch(/serviceaccount\/namespace cannot be read/);
    expect(code).toBe(2);
    const file = readdirSync(folder.path).find((name) => !before.has(name)) ?? "";
    const { packages } = sortModules(readTrace(join(folder.path, file)));
    expect([...packages].filter((name) => !needed.has(name))).toEqual([]);
  });
});

describe("the bundle of an agent, as it is shipped", () => {
  const folder = openTempFolder();
  let bundle: Bundle;

  beforeAll(async () => {
    writeFileSync(join(folder.path, "package.json"), '{"type":"module","version":"0.0.0"}');
    bundle = await bundleAgent(folder.path);
  });

  afterAll(() => folder[Symbol.dispose]());

  const run = (words: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    runProgram(process.execPath, words, { cwd: folder.path, env: { ...promptEnvironment(), ...variables } });

  test("holds only the packages that an agent needs, and nothing of the hub, the store or the API server", () => {
    const { packages, folders } = sortModules(bundle.moduleFiles.map((file) => pathToFileURL(file).href));
    expect([...packages].filter((name) => !needed.has(name) && !ofPrettyLog.has(name))).toEqual([]);
    expect(packages).toContain("@connectrpc/connect");
    expect(folders).toContain("session");
    for (const absent of foreign) expect(folders).not.toContain(absent);
    expect(bundle.imports).toEqual([]);
  });

  test("is all that an agent loads, in ASCII", async () => {
    const traces = join(folder.path, "traces");
    mkdirSync(traces);
    const variables = { ...pod, NODE_OPTIONS: `--import=${trace}`, TRACE_FOLDER: traces };
    const { code, stderr } = await run([join(folder.path, bundlePath), ...podWords], variables);
    expect(stderr).toMatch(/serviceaccount\/namespace cannot be read/);
    expect(code).toBe(2);
    const place = pathToFileURL(dirname(join(folder.path, bundlePath))).href;
    const loaded = readTrace(join(traces, readdirSync(traces)[0] ?? "")).filter((url) => !url.startsWith("node:"));
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.filter((url) => !url.startsWith(place) && url !== trace)).toEqual([]);
    expect(loaded.filter((url) => url.includes("pretty"))).toEqual([]);
    for (const url of loaded) expect(readFileSync(new URL(url), "utf8")).toMatch(url === trace ? /./ : /^[\0-\x7f]*$/);
  });

  test("comes with the licence of every package in it", () => {
    const text = renderThirdParty(bundle.moduleFiles);
    const { packages } = sortModules(bundle.moduleFiles.map((file) => pathToFileURL(file).href));
    for (const name of packages) expect(text).toMatch(new RegExp(`^${name} [0-9.]+ \\(.+\\)\n\n.*\\S`, "m"));
    // At the head of a file of @bufbuild/protobuf, which has no licence file for it.
    expect(text).toContain("Copyright 2008 Google Inc.");
  });

  test("is what the package's command runs for an agent; every other verb runs from the bundle of the whole program", async () => {
    const bin = join(folder.path, "package", binPath);
    for (const path of [programPath, bundlePath]) {
      mkdirSync(dirname(join(folder.path, "package", path)), { recursive: true });
      writeFileSync(join(folder.path, "package", path), `console.log(${JSON.stringify(path)});`);
    }
    writeBin(join(folder.path, "package"));
    const variables = { XDG_CACHE_HOME: join(folder.path, "cache") };
    expect((await run([bin, "agent", "--cluster-id", "a"], variables)).stdout).toBe(`${bundlePath}\n`);
    expect(existsSync(variables.XDG_CACHE_HOME)).toBe(false);
    for (const words of [["hub"], ["cluster", "agent"], []])
      expect((await run([bin, ...words], variables)).stdout).toBe(`${programPath}\n`);
    expect(readdirSync(join(variables.XDG_CACHE_HOME, "flotilla"))).toEqual(["compiled"]);
  });
});
