// SPDX-License-Identifier: Apache-2.0
// Problems of a list of rows, found the plain way: every rule of docs/spec/problems.md by looking at all rows.
import { type Status, statusRank } from "../../../model/status.ts";
import { compareUtf8 } from "../../../model/text.ts";
import { compareIndexKeys, type IndexKey } from "../../relations/index-key.ts";
import { type BuiltRow, testHasher } from "../../relations/testing/built-fleet.ts";
import { naiveOwner } from "../../relations/testing/naive-edges.ts";
import { normaliseMessage } from "../normalise-message.ts";
import type { Problem } from "../problem.ts";
import { type ProblemSignature, problemId } from "../problem-signature.ts";

/** The key of a row. */
export const keyOfRow = ({ cluster, resource, content: { namespace, name } }: BuiltRow): IndexKey => ({
  cluster,
  resource,
  namespace,
  name,
});

const byKey = (a: BuiltRow, b: BuiltRow): number => compareIndexKeys(keyOfRow(a), keyOfRow(b));

interface NaiveGroup {
  readonly signature: ProblemSignature;
  readonly root: BuiltRow;
  readonly members: readonly BuiltRow[];
  readonly signatureRow: readonly BuiltRow[];
}

/** Object, owner, owner of the owner. */
function chainOf(rows: readonly BuiltRow[], row: BuiltRow): readonly BuiltRow[] {
  const chain: BuiltRow[] = [];
  const ownerOf = (of: BuiltRow): BuiltRow | undefined => {
    const owner = naiveOwner(rows, of);
    return owner?.kind === "Node" ? undefined : owner;
  };
  for (let at: BuiltRow | undefined = row; at !== undefined; at = ownerOf(at)) {
    const start = chain.indexOf(at);
    if (start !== -1) {
      const [least] = chain.slice(start).sort(byKey);
      return chain.slice(0, chain.findIndex((each) => each === least) + 1);
    }
    chain.push(at);
  }
  return chain;
}

function imageOf({ content: { reason, columns } }: BuiltRow): string {
  if (reason !== "ImagePullBackOff" && reason !== "ErrImagePull") return "";
  for (const column of ["initContainers", "containers"])
    for (const text of (columns.get(column) as readonly string[] | undefined) ?? []) {
      const container = JSON.parse(text) as { readonly reason: string; readonly image: string };
      if (container.reason === reason) return container.image;
    }
  return "";
}

function templateOf(chain: readonly BuiltRow[], isOwner: boolean): string {
  const top = chain.at(-1);
  if (top === undefined) return "";
  const { owner, name, labels, columns } = top.content;
  if (owner === undefined) return isOwner || chain.length > 1 || columns.has("images") ? name : "";
  if (owner.kind === "Node") return name.endsWith(`-${owner.name}`) ? name.slice(0, -owner.name.length - 1) : name;
  const hash = owner.kind === "ReplicaSet" ? `-${labels.get("pod-template-hash")}` : "-";
  return owner.name.endsWith(hash) ? owner.name.slice(0, -hash.length) : owner.name;
}

function signatureOf({ resource, kind, content }: BuiltRow, image: string, template: string): ProblemSignature {
  const reason = content.reason === "ErrImagePull" ? "ImagePullBackOff" : content.reason;
  if (image !== "") return { resource, kind, reason, image, template: "", message: "" };
  return { resource, kind, reason, image, template, message: normaliseMessage(content.message) };
}

function groupsOf(rows: readonly BuiltRow[], statuses: readonly Status[]): readonly NaiveGroup[] {
  const troubled = rows.filter(({ content }) => statuses.includes(content.status));
  const chains = new Map(troubled.map((row) => [row, chainOf(rows, row)]));
  const rootOf = (row: BuiltRow): BuiltRow => chains.get(row)?.findLast((each) => troubled.includes(each)) ?? row;
  const depthOf = (row: BuiltRow): number => chains.get(row)?.indexOf(rootOf(row)) ?? 0;
  const groups = troubled
    .filter((root) => troubled.some((row) => rootOf(row) === root))
    .map((root): NaiveGroup => {
      const members = troubled.filter((row) => rootOf(row) === root);
      const deepest = Math.max(...members.map(depthOf));
      const low = members.filter((row) => depthOf(row) === deepest);
      const worst = Math.min(...low.map(({ content }) => statusRank(content.status)));
      const template = templateOf(chains.get(root) ?? [], deepest > 0);
      const candidates = low
        .filter(({ content }) => statusRank(content.status) === worst)
        .map((row) => ({ row, signature: signatureOf(row, imageOf(row), template) }))
        .map((each) => ({ ...each, id: problemId(each.signature, testHasher) }));
      const countOf = (id: string): number => candidates.filter((each) => each.id === id).length;
      const [first] = candidates.toSorted((a, b) => countOf(b.id) - countOf(a.id) || compareUtf8(a.id, b.id));
      if (first === undefined) throw new Error("a group without members");
      const signatureRow = candidates.filter(({ id }) => id === first.id).map(({ row }) => row);
      return { signature: first.signature, root, members, signatureRow };
    });
  const failedPods = rows.filter(
    ({ resource, content }) => resource === "pods" && ["unhealthy", "degraded", "terminating"].includes(content.status),
  );
  return groups.map((group) => {
    const below = failedPods.filter((pod) => {
      const top = chainOf(rows, pod).findLast((each) => troubled.includes(each));
      return top !== undefined && group.members.includes(top);
    });
    return explainedByNode(rows, { group, below }, groups);
  });
}

function explainedByNode(
  rows: readonly BuiltRow[],
  { group, below }: { readonly group: NaiveGroup; readonly below: readonly BuiltRow[] },
  groups: readonly NaiveGroup[],
): NaiveGroup {
  const causes: NaiveGroup[] = [];
  for (const { cluster, content } of below) {
    const node = rows.find(
      (each) =>
        each.cluster === cluster && each.resource === "nodes" && each.content.name === content.columns.get("node"),
    );
    const isLost = ["NotReady", "Terminating"].includes(content.reason) && node?.content.status === "unhealthy";
    const cause = groups.find(({ members }) => isLost && members.includes(node));
    if (cause === undefined) return group;
    causes.push(cause);
  }
  const [first] = causes.sort((a, b) => compareUtf8(idOf(a), idOf(b)));
  return first === undefined ? group : { ...first, members: group.members };
}

const idOf = ({ signature }: NaiveGroup): string => problemId(signature, testHasher);

/** The problems of these rows, all of which are visible, in order. */
export function naiveProblems(rows: readonly BuiltRow[], statuses: readonly Status[]): readonly Problem[] {
  const groups = groupsOf(rows, statuses);
  return [...new Set(groups.map(idOf))]
    .map((id) =>
      problemOf(
        id,
        groups.filter((group) => idOf(group) === id),
      ),
    )
    .sort(
      (a, b) =>
        b.clusterCount - a.clusterCount ||
        b.objectCount - a.objectCount ||
        (a.sinceMs ?? 0) - (b.sinceMs ?? 0) ||
        compareUtf8(a.id, b.id),
    );
}

function problemOf(id: string, groups: readonly NaiveGroup[]): Problem {
  const [group] = groups;
  if (group === undefined) throw new Error("a problem without groups");
  const objects = groups.flatMap(({ members }) => members).sort(byKey);
  const roots = [...new Set(groups.map(({ root }) => root))].sort(byKey);
  const [told] = groups.flatMap(({ signatureRow }) => signatureRow).sort(byKey);
  const [worst] = objects.map(({ content }) => content.status).sort((a, b) => statusRank(a) - statusRank(b));
  const countOf = (resource: string): number => objects.filter((row) => row.resource === resource).length;
  const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];
  return {
    ...group.signature,
    id,
    sampleMessage: told?.content.message ?? "",
    status: worst ?? "unknown",
    kindCounts: distinct(objects.map(({ resource }) => resource))
      .map((resource) => ({
        resource,
        kind: objects.find((row) => row.resource === resource)?.kind ?? "",
        count: countOf(resource),
      }))
      .sort((a, b) => b.count - a.count || compareUtf8(a.resource, b.resource)),
    objectCount: objects.length,
    clusterCount: distinct(objects.map(({ cluster }) => cluster)).length,
    namespaceCount: distinct(
      objects.flatMap(({ cluster, content: { namespace } }) => (namespace === "" ? [] : `${cluster} ${namespace}`)),
    ).length,
    sinceMs: Math.min(...objects.map(({ content }) => content.createdAt)),
    rootCount: roots.length,
    roots: roots.map(keyOfRow).slice(0, 10),
    objects: objects.map(keyOfRow).slice(0, 10),
  };
}
