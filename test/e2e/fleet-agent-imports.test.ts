// SPDX-License-Identifier: Apache-2.0
// What an agent's process loads. Each package that is not needed is memory in every cluster: @kubernetes/client-node alone about 80 MiB.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { BackgroundProgram } from "./fleet/background-program.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";

const trace = pathToFileURL(join(root, "test/e2e/fleet/trace-modules.ts")).href;

/** What an agent is made of: protobuf and Connect, pino and prom-client with what they bring, the hash. `yaml` reads configuration files. */
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

interface Loaded {
  readonly packages: ReadonlySet<string>;
  /** Top folders of our own source. */
  readonly folders: ReadonlySet<string>;
}

function readTrace(file: string): Loaded {
  const urls = readFileSync(file, "utf8").trimEnd().split("\n");
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
    const { packages, folders } = readTrace(join(folder.path, `${pid}.modules`));
    expect([...packages].filter((name) => !needed.has(name))).toEqual([]);
    expect(packages).toContain("@connectrpc/connect");
    expect(folders).toContain("session");
    for (const absent of ["hub", "store", "apiserver", "playground"]) expect(folders).not.toContain(absent);
  });

  test("loads no more as a Pod, as far as reading its service account", async () => {
    const before = new Set(readdirSync(folder.path));
    const pod = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: "1" };
    const args = ["agent", "--cluster-id", "pod", "--hub", "https://127.0.0.1:1", "--admin-port", "0"];
    const agent = new BackgroundProgram({ cwd: folder.path, args, variables: { ...variables, ...pod } });
    expect(await agent.ended()).toBe(2);
    expect(agent.stderr).toMatch(/serviceaccount\/namespace cannot be read/);
    const file = readdirSync(folder.path).find((name) => !before.has(name)) ?? "";
    const { packages } = readTrace(join(folder.path, file));
    expect([...packages].filter((name) => !needed.has(name))).toEqual([]);
  });
});
