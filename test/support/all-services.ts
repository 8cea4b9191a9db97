// SPDX-License-Identifier: Apache-2.0
import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DescService } from "@bufbuild/protobuf";
import { root } from "../../scripts/project.ts";

/**
 * Every service of every generated file: what a walk over all methods walks, so that a new service cannot be forgotten.
 */
export async function loadAllServices(): Promise<readonly DescService[]> {
  const files = globSync("src/gen/**/*_pb.ts", { cwd: root }).sort();
  const modules = await Promise.all(
    files.map(
      async (file) => (await import(pathToFileURL(join(root, file)).href)) as Readonly<Record<string, unknown>>,
    ),
  );
  return modules.flatMap((module) => Object.values(module).filter(isService));
}

function isService(value: unknown): value is DescService {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "service";
}
