// SPDX-License-Identifier: Apache-2.0

/** Access modes of volumes with kubectl's short names, in kubectl's order. */
const shortNames: readonly (readonly [mode: string, shortName: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** `RWO,ROX`: access modes as kubectl prints them. Unknown modes are left out. */
export function accessModesText(modes: readonly string[]): string {
  return shortNames.flatMap(([mode, shortName]) => (modes.includes(mode) ? [shortName] : [])).join(",");
}
