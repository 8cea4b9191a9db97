// SPDX-License-Identifier: Apache-2.0
// The build with a `go` of our own in place of the machine's: what is asked of it, and what is left when it fails.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { buildKit, moduleFile } from "../../scripts/kubernetes-build.ts";
import { kitFolder, kitModules, kitVersions } from "../../scripts/kubernetes-kit.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { findKit } from "./find-kit.ts";

/**
 * Answers as Go does: says where a module is, and writes the file after `-o`. Fails for the package that FAIL names.
 */
const fakeGo = `#!/bin/sh
echo "$@" >> "$ROOT/calls"
case "$1" in
mod) echo "{\\"GoMod\\": \\"$ROOT/published.mod\\", \\"Dir\\": \\"$ROOT/module\\"}" ;;
build)
  for last; do :; done
  [ "$last" = "$FAIL" ] && { echo "no such package" >&2; exit 1; }
  while [ "$1" != -o ]; do shift; done
  cat go.mod > "$2" ;;
esac
`;

const published = `module k8s.io/kubernetes

go 1.26.0

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.0.0
	k8s.io/utils v0.0.0-20260101000000-abcdefabcdef
)

require k8s.io/mount-utils v0.0.0 // indirect
`;

interface Bench extends Disposable {
  readonly env: NodeJS.ProcessEnv;
  readonly said: string[];
  readonly cache: string;
  calls(): readonly string[];
  build(more?: NodeJS.ProcessEnv): Promise<string>;
}

function openBench(): Bench {
  const { path: root, [Symbol.dispose]: dispose } = openTempFolder();
  const bin = join(root, "bin");
  const cache = join(root, "cache");
  mkdirSync(bin);
  writeFileSync(join(bin, "go"), fakeGo, { mode: 0o755 });
  writeFileSync(join(root, "published.mod"), published);
  for (const file of kitModules(kitVersions.kubernetes).flatMap(({ stageFiles }) => stageFiles)) {
    mkdirSync(dirname(join(root, "module", file)), { recursive: true });
    writeFileSync(join(root, "module", file), "kind: Stage\n", { mode: 0o444 });
  }
  const env = { PATH: `${bin}:/usr/bin:/bin`, ROOT: root, XDG_CACHE_HOME: cache };
  const said: string[] = [];
  const { signal } = new AbortController();
  return {
    env,
    said,
    cache: join(cache, "flotilla", "kubernetes"),
    calls: () => (existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8").trim().split("\n") : []),
    build: (more = {}) =>
      buildKit({
        env: { ...env, ...more },
        kubernetesVersion: kitVersions.kubernetes,
        say: (line) => void said.push(line),
        signal,
      }),
    [Symbol.dispose]: dispose,
  };
}

test("a build makes every program and stage, says a line for each program, and is found", async () => {
  using bench = openBench();
  expect(findKit(bench.env)).toBeUndefined();
  const folder = await bench.build();
  const programs = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"];
  expect(readdirSync(join(folder, "bin")).toSorted()).toEqual([...programs, "kwok-stages"].toSorted());
  for (const name of programs) {
    expect(bench.said).toContainEqual(expect.stringMatching(new RegExp(`^building ${name} v\\d`)));
  }
  const kit = findKit(bench.env);
  expect(kit?.controllers).toBeDefined();
  expect(kit?.kwok?.stageFiles).toHaveLength(6);
  expect(readdirSync(folder).toSorted()).toEqual(["bin", "kit.json"]);
  expect(readdirSync(bench.cache)).toEqual([`${kitVersions.kubernetes}-${process.platform}-${process.arch}`]);
});

test("a second build says nothing and runs nothing", async () => {
  using bench = openBench();
  await bench.build();
  const calls = bench.calls();
  bench.said.length = 0;
  await bench.build();
  expect(bench.said).toEqual([]);
  expect(bench.calls()).toEqual(calls);
});

test("a build that fails half-way says what Go said and leaves nothing", async () => {
  using bench = openBench();
  const failed = bench.build({ FAIL: "k8s.io/kubernetes/cmd/kubectl" });
  await expect(failed).rejects.toThrow(/cmd\/kubectl` failed:\nno such package/);
  expect(readdirSync(bench.cache)).toEqual([]);
  expect(findKit(bench.env)).toBeUndefined();
});

test("a kit of other versions than ours is built anew", async () => {
  using bench = openBench();
  const folder = await bench.build();
  writeFileSync(join(folder, "kit.json"), "{}\n");
  expect(findKit(bench.env)).toBeUndefined();
  await bench.build();
  expect(findKit(bench.env)).toBeDefined();
  expect(readdirSync(bench.cache)).toHaveLength(1);
});

test("a stopped build leaves nothing", async () => {
  using bench = openBench();
  const stopping = new AbortController();
  const say = (line: string): void => {
    if (line.startsWith("building kwok")) stopping.abort(new Error("stopped"));
  };
  const built = buildKit({ env: bench.env, kubernetesVersion: kitVersions.kubernetes, say, signal: stopping.signal });
  await expect(built).rejects.toThrow("stopped");
  expect(readdirSync(bench.cache)).toEqual([]);
});

test("without Go one sentence says what to install", async () => {
  using bench = openBench();
  await expect(bench.build({ PATH: bench.cache })).rejects.toThrow(/^Go was not found\. .*install Go 1\.26/);
  expect(readdirSync(bench.cache)).toEqual([]);
});

test("what a module keeps in folders of its own is replaced by the published modules, and nothing else is", () => {
  const kubernetes = kitModules("v1.34.4").filter(({ path }) => path === "k8s.io/kubernetes");
  const lines = kubernetes.map((module) => moduleFile(module, published)).join("");
  expect(lines.trim().split("\n")).toEqual([
    "module flotilla.invalid/kit",
    "go 1.26.0",
    "require k8s.io/kubernetes v1.34.4",
    "replace k8s.io/api => k8s.io/api v0.34.4",
    "replace k8s.io/mount-utils => k8s.io/mount-utils v0.34.4",
  ]);
});

test("kits of two versions and two platforms are kept apart", () => {
  const env = { XDG_CACHE_HOME: "/cache" };
  expect(kitFolder(env, "v1.34.4")).toBe(`/cache/flotilla/kubernetes/v1.34.4-${process.platform}-${process.arch}`);
  expect(kitFolder({ XDG_CACHE_HOME: "relative", HOME: "/home/somebody" }, "v1.34.4")).toMatch(
    /^\/.*\/\.cache\/flotilla\//,
  );
});
