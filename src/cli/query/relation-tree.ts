// SPDX-License-Identifier: Apache-2.0
import type { ObjectKey, RelatedObject, RelationsResponse } from "../../gen/flotilla/query/v1/query_pb.ts";

interface TreeNode {
  readonly object: RelatedObject;
  /** The objects below with the words of their relations, each object once. */
  readonly below: Map<string, string[]>;
  hasAbove: boolean;
}

/**
 * The relations as trees, one line per object: an object stands below each that owns it, routes to it or uses it, with
 * all relations between the two. Its own tree is printed once; elsewhere the line ends with "(see above)". The first object of the answer is the one that
 * was asked for and is marked with `*`. The lines are not made safe for a terminal.
 */
export function toRelationLines({ objects, relations }: Pick<RelationsResponse, "objects" | "relations">): string[] {
  const nodes = new Map<string, TreeNode>(
    objects.map((object) => [keyText(object.key), { object, below: new Map(), hasAbove: false }]),
  );
  for (const { from, to, type } of relations) {
    const [above, below] = [nodes.get(keyText(from)), nodes.get(keyText(to))];
    if (above === undefined || below === undefined || above === below) continue;
    above.below.set(keyText(to), [...(above.below.get(keyText(to)) ?? []), toWords(type)]);
    below.hasAbove = true;
  }
  const [asked] = nodes.keys();
  const lines: string[] = [];
  const printed = new Set<string>();
  const print = (key: string, lead: { readonly own: string; readonly below: string }, type: string): void => {
    const node = nodes.get(key);
    if (node === undefined) return;
    const isRepeated = printed.has(key);
    printed.add(key);
    const isShortened = isRepeated && node.below.size > 0;
    lines.push(
      `${lead.own}${type}${objectText(node.object)}${key === asked ? " *" : ""}${isShortened ? " (see above)" : ""}`,
    );
    if (isRepeated) return;
    for (const [at, [belowKey, words]] of [...node.below].entries()) {
      const isLast = at === node.below.size - 1;
      const next = { own: `${lead.below}${isLast ? "└─ " : "├─ "}`, below: `${lead.below}${isLast ? "   " : "│  "}` };
      print(belowKey, next, `${words.join(", ")} `);
    }
  };
  const top = { own: "", below: "" };
  for (const [key, node] of nodes) if (!node.hasAbove) print(key, top, "");
  // What is left is in a circle, such as two objects that own each other.
  for (const key of nodes.keys()) if (!printed.has(key)) print(key, top, "");
  return lines;
}

/** `runsOn` as `runs on`. */
function toWords(type: string): string {
  return type.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function objectText({ key, kind, status, reason }: RelatedObject): string {
  const name = [key?.namespace ?? "", key?.name ?? ""].filter((part) => part !== "").join("/");
  return [`${kind} ${name}`, status, reason].filter((part) => part !== "").join("  ");
}

function keyText(key: ObjectKey | undefined): string {
  return JSON.stringify([key?.cluster, key?.resource, key?.namespace, key?.name]);
}
