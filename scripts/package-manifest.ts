// SPDX-License-Identifier: Apache-2.0
// The package.json of the published package, derived from the repository's own, so that versions are stated once.
import { binPath } from "./package-entry.ts";

/** Node versions that can run the package; scripts/bootstrap.mjs requires the same. */
const engines = { node: ">=24.15.0 <25 || >=26.0.0" };

/** Path of the bundled packages' licences in the package. */
export const thirdPartyPath = "THIRD-PARTY.txt";

/** Renders the published package.json. Throws if a field is missing in the repository's one. */
export function renderPackageManifest(repositoryManifest: string): string {
  const own: unknown = JSON.parse(repositoryManifest);
  const manifest = {
    name: "flotilla",
    version: readText(own, "version"),
    description: readText(own, "description"),
    license: readText(own, "license"),
    type: "module",
    engines,
    bin: { flotilla: binPath },
    files: ["bin", "agent", "program", "sql", "ui/dist", thirdPartyPath],
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

function readField(value: unknown, name: string): unknown {
  const field: unknown = Object.entries(value ?? {}).find(([key]) => key === name)?.[1];
  if (field === undefined) throw new Error(`package.json has no "${name}"`);
  return field;
}

/** A string field of a parsed package.json. Throws if it is missing. */
export function readText(value: unknown, name: string): string {
  const field = readField(value, name);
  if (typeof field !== "string") throw new Error(`"${name}" of package.json is not a text`);
  return field;
}
