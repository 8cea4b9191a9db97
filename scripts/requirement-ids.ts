// SPDX-License-Identifier: Apache-2.0
// The ids that a test may cite: requirements (`- **N-24** sentence` in docs/requirements.md) and spec rules (`**ST12**
// sentence` at the start of a line of docs/spec/*.md, up to the end of the paragraph).

/** One citable line. */
export interface CitableId {
  readonly id: string;
  /** The sentence after the id, without its "shown by" part. */
  readonly text: string;
  /** True if the line contains "(later", which postpones it. */
  readonly isLater: boolean;
}

/** The ids of one heading of requirements.md, or of one spec page. */
export interface IdSection {
  readonly title: string;
  /** Requirements and laws may still be open; a spec rule describes existing code. */
  readonly kind: "requirements" | "laws" | "spec";
  readonly ids: readonly CitableId[];
}

/** A document's text. */
export interface DocumentText {
  readonly path: string;
  readonly text: string;
}

/** Reads requirements.md: one section for each `## ` heading that has ids. */
export function parseRequirements(document: DocumentText): IdSection[] {
  return document.text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf("\n")).trim(),
      kind: "requirements" as const,
      ids: idsOf(part, /^- \*\*([A-Z]-\d+)\*\* (.+)$/gm),
    }))
    .filter((section) => section.ids.length > 0);
}

/** Reads one page of docs/spec; its title is its `# ` heading. A page without rules gives an empty section. */
export function parseSpec(document: DocumentText): IdSection {
  const title = /^# (.+)$/m.exec(document.text)?.[1] ?? document.path;
  return {
    title: `${title} (${document.path})`,
    kind: document.path.endsWith("/laws.md") ? "laws" : "spec",
    ids: idsOf(document.text, /^(?:- )?\*\*([A-Z]{1,3}\d+)\*\* (.+(?:\n(?!(?:- )?\*\*[A-Z]|#|\s*\n).+)*)/gm),
  };
}

function idsOf(text: string, pattern: RegExp): CitableId[] {
  return [...text.matchAll(pattern)].map(([, id = "", rest = ""]) => ({
    id,
    text: (rest.split(" — _shown by_")[0] ?? "").replaceAll(/\s+/g, " ").trim(),
    isLater: rest.includes("(later"),
  }));
}

/** Ids that occur twice; an id must be unique. */
export function duplicateIds(sections: readonly IdSection[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { id } of sections.flatMap((section) => section.ids)) {
    if (seen.has(id)) twice.add(id);
    seen.add(id);
  }
  return [...twice];
}
