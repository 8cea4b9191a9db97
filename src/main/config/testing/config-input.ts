// SPDX-License-Identifier: Apache-2.0
// Files for tests of the configuration, in memory.
import type { ConfigInput } from "../read-config.ts";
import type { ReadFile } from "../read-file.ts";

/** A ReadFile over `files`: path to text, each with mode 0600 unless it is named in `modes`. */
export function fakeFiles(
  files: Readonly<Record<string, string>>,
  modes: Readonly<Record<string, number>> = {},
): ReadFile {
  return (path) => {
    const text = files[path];
    if (text === undefined) return { kind: "unreadable", reason: `${path} does not exist` };
    return { kind: "text", text, mode: 0o100_000 | (modes[path] ?? 0o600) };
  };
}

/** An input with only the given fields set. */
export function input(given: Partial<ConfigInput> = {}): ConfigInput {
  return { argv: [], env: {}, readFile: fakeFiles({}), ...given };
}
