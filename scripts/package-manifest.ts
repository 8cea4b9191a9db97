// SPDX-License-Identifier: Apache-2.0
// The package.json of what we ship, made from the repository's own so that versions stand in one place.
import { binPath } from "./package-entry.ts";

/** Lines of Node that run the built package; scripts/bootstrap.mjs asks for the same. */
const engines = { node: ">=24.15.0 <25 || >=26.0.0" };

/** Where the licences of bundled packages stand in the package. */
export const thirdPartyPath = "THIRD-PARTY.txt";

/** The text of the shipped package.json. Throws if the repository's one lacks what the package needs. */
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

/** The text of that field of a parsed package.json. Throws if there is none. */
export function readText(value: unknown, name: string): string {
  const field = readField(value, name);
  if (typeof field !== "string") throw new Error(`"${name}" of package.json is not a text`);
  return field;
}
