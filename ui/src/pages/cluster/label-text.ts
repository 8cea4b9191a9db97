// SPDX-License-Identifier: Apache-2.0

type Labels = Readonly<Record<string, string>>;

/** One label per line, sorted by name. */
export function printLabels(labels: Labels): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

/** Parses labels. Throws one sentence for an invalid line. */
export function parseLabels(text: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`"${line}" is not a label; write it as name=value`);
    labels.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  return labels;
}

/** The change from the old labels to the wanted ones. */
export function toLabelChange(
  before: Labels,
  wanted: ReadonlyMap<string, string>,
): { readonly setLabels: Record<string, string>; readonly removeLabels: string[] } {
  return {
    setLabels: Object.fromEntries([...wanted].filter(([name, value]) => before[name] !== value)),
    removeLabels: Object.keys(before).filter((name) => !wanted.has(name)),
  };
}
