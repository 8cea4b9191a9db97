// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kitFolder, kitRecord } from "../../scripts/kubernetes-kit.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { findKit } from "./find-kit.ts";

function putPrograms(folder: string, ...names: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), "");
}

test("KUBEBUILDER_ASSETS comes before what was built, and lacks what its folder lacks", () => {
  using temp = openTempFolder();
  const env = { XDG_CACHE_HOME: temp.path, FLOTILLA_KUBERNETES_VERSION: "v1.35.0" };
  const built = kitFolder(env, "v1.35.0");
  putPrograms(join(built, "bin"), "kube-apiserver", "etcd", "kubectl");
  writeFileSync(join(built, "kit.json"), kitRecord("v1.35.0"));
  expect(findKit(env)?.etcd).toBe(join(built, "bin", "etcd"));
  const assets = join(temp.path, "assets");
  putPrograms(assets, "kube-apiserver", "etcd", "kubectl", "kube-scheduler");
  const kit = findKit({ ...env, KUBEBUILDER_ASSETS: assets });
  expect(kit).toMatchObject({ kubeApiserver: join(assets, "kube-apiserver"), controllers: undefined, kwok: undefined });
  expect(findKit({ ...env, KUBEBUILDER_ASSETS: "" })?.etcd).toBe(join(built, "bin", "etcd"));
});

test("KUBEBUILDER_ASSETS without the programs is refused with what is missing, not passed over", () => {
  using temp = openTempFolder();
  putPrograms(temp.path, "kubectl");
  const find = (): unknown => findKit({ KUBEBUILDER_ASSETS: temp.path });
  expect(find).toThrow(`KUBEBUILDER_ASSETS is ${temp.path}, which does not contain kube-apiserver, etcd;`);
});

test("a kit that was built for another version does not count", () => {
  using temp = openTempFolder();
  const env = { XDG_CACHE_HOME: temp.path, FLOTILLA_KUBERNETES_VERSION: "v1.35.0" };
  const built = kitFolder(env, "v1.35.0");
  putPrograms(join(built, "bin"), "kube-apiserver", "etcd", "kubectl");
  expect(findKit(env)).toBeUndefined();
  writeFileSync(join(built, "kit.json"), kitRecord("v1.34.0"));
  expect(findKit(env)).toBeUndefined();
});
