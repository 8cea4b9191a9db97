// SPDX-License-Identifier: Apache-2.0

type Labels = Readonly<Record<string, string>>;

/** One label per line, in order of their names. */
export function printLabels(labels: Labels): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

/** The labels of a text. Throws with one sentence for a line that is none. */
export function parseLabels(text: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`"${line}" is no label; write it as name=value`);
    labels.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  return labels;
}

/** What turns the old labels into the wanted ones. */
export function toLabelChange(
  before: Labels,
  wanted: ReadonlyMap<string, string>,
): { readonly setLabels: Record<string, string>; readonly removeLabels: string[] } {
  return {
    setLabels: Object.fromEntries([...wanted].filter(([name, value]) => before[name] !== value)),
    removeLabels: Object.keys(before).filter((name) => !wanted.has(name)),
  };
}
