// SPDX-License-Identifier: Apache-2.0
// Every read of rows that users reach, each asked in many ways, with answers that can be compared as texts.
import { FlotillaError } from "../../../base/error.ts";
import type { Subject } from "../../../model/subject.ts";
import { type FleetQueries, plainQuery, type QueriedObject } from "../fleet-queries.ts";
import type { FleetReader } from "../fleet-reader.ts";

/** What surfaces are asked about. */
export interface ReadQuestions {
  readonly subject: Subject;
  readonly clusters: readonly string[];
  /** Objects that exist, were hidden or never were. */
  readonly objects: readonly QueriedObject[];
  readonly texts: readonly string[];
  /** Cursors that other users, queries and fleets were given. */
  readonly foreignCursors: readonly string[];
  /** Ids of problems, also of those that only others see. */
  readonly problemIds: readonly string[];
}

/** One way to read rows. */
export interface ReadSurface {
  /** The kinds of a cluster are part of its answers, as in Kubernetes' discovery (FA2). */
  readonly showsKinds?: true;
  readonly ask: (reader: FleetReader, questions: ReadQuestions) => AsyncIterable<unknown>;
}

const sorts = [[], ["-status", "name"], ["label.only-one", "-field.node"]];
const facets = ["cluster", "namespace", "kind", "status", "label.app", "label.only-one", "reason", "image"];

/** All pages of a query. */
async function* pagesOf<Page extends { readonly next: string }>(
  ask: (cursor: string) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let cursor = ""; ; ) {
    const page = await ask(cursor);
    yield page;
    if (page.next === "") return;
    cursor = page.next;
  }
}

async function* once<Answer>(ask: () => Promise<Answer>): AsyncGenerator<Answer> {
  yield await ask();
}

/** The answers, and the sentence of the refusal that ends them. */
async function* outcomes(answers: AsyncIterable<unknown>): AsyncGenerator {
  try {
    yield* answers;
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    yield `${reason.code} ${reason.message}`;
  }
}

/** Each text in each order: rows, total, facets and plan of every page. */
async function* lists(queries: FleetQueries, { texts }: ReadQuestions): AsyncGenerator {
  for (const [at, text] of texts.entries()) {
    const query = { ...plainQuery, text, limit: 2, sort: sorts[at % sorts.length] ?? [], facets, explain: true };
    yield* outcomes(pagesOf(async (cursor) => ({ ...(await queries.list({ ...query, cursor })), tookMs: 0 })));
  }
}

async function* groups(queries: FleetQueries, { texts }: ReadQuestions): AsyncGenerator {
  for (const text of texts)
    for (const groupBy of [["namespace"], ["kind", "label.only-two"]]) {
      const query = { ...plainQuery, text, limit: 0, groupBy, measure: "created" };
      yield* outcomes(once(async () => ({ ...(await queries.list(query)), tookMs: 0 })));
    }
}

async function* foreign(queries: FleetQueries, { foreignCursors, problemIds }: ReadQuestions): AsyncGenerator {
  for (const cursor of foreignCursors) {
    yield* outcomes(once(() => queries.list({ ...plainQuery, text: "", limit: 2, cursor })));
    const [problemId = "none"] = problemIds;
    const problem = { text: "", limit: 2, includeDegraded: true, problemId, cursor };
    yield* outcomes(once(() => queries.listProblems(problem)));
    const compared = { text: "", clusters: [], goldenCluster: "", differingOnly: false, limit: 2, cursor };
    yield* outcomes(once(() => queries.compare(compared)));
  }
}

const completed = ["label.", "label.only-one=", "kind:", "ns:", "reason:", "name:", "field.", "owner:", "image:", ""];

async function* completions(queries: FleetQueries): AsyncGenerator {
  for (const text of completed) yield* outcomes(once(() => queries.complete(text, text.length)));
}

async function* problems(queries: FleetQueries, { texts, problemIds }: ReadQuestions): AsyncGenerator {
  const asked = { text: "", includeDegraded: true, problemId: "", cursor: "" };
  for (const text of texts)
    for (const limit of [1, 100]) yield* outcomes(once(() => queries.listProblems({ ...asked, text, limit })));
  for (const problemId of problemIds)
    yield* outcomes(pagesOf((cursor) => queries.listProblems({ ...asked, problemId, limit: 2, cursor })));
}

async function* comparisons(queries: FleetQueries, { texts }: ReadQuestions): AsyncGenerator {
  for (const [at, text] of texts.entries())
    for (const goldenCluster of ["", "east"]) {
      const query = { text, clusters: [], goldenCluster, differingOnly: at % 2 === 0, limit: 2 };
      yield* outcomes(pagesOf((cursor) => queries.compare({ ...query, cursor })));
    }
}

async function* relations(queries: FleetQueries, { objects }: ReadQuestions): AsyncGenerator {
  for (const object of objects) yield* outcomes(once(() => queries.findRelations(object)));
}

/** A user without grants: with the right to review access, the grants of every user are visible. */
const other = { name: "eve", groups: [] };

async function* explanations(queries: FleetQueries, { objects, clusters }: ReadQuestions): AsyncGenerator {
  for (const object of objects) {
    yield* outcomes(once(() => queries.explainAccess(undefined, object)));
  }
  for (const cluster of clusters) yield* outcomes(once(() => queries.listAccessRules(other, [cluster])));
}

async function* rules(queries: FleetQueries, { clusters }: ReadQuestions): AsyncGenerator {
  for (const cluster of clusters) yield* outcomes(once(() => queries.listAccessRules(undefined, [cluster])));
}

const newBinding = JSON.stringify({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "new" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "new" },
  subjects: [{ kind: "User", name: "eve" }],
});
const newRole = JSON.stringify({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "new" },
  rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
});

async function* viewers(queries: FleetQueries, { objects }: ReadQuestions): AsyncGenerator {
  for (const object of objects) yield* outcomes(once(() => queries.listViewers(object)));
}

async function* previews(queries: FleetQueries, { clusters }: ReadQuestions): AsyncGenerator {
  for (const cluster of clusters) yield* outcomes(once(() => queries.previewAccess(cluster, [newRole, newBinding])));
}

async function* wholeClusters(reader: FleetReader, { subject, clusters, objects }: ReadQuestions): AsyncGenerator {
  const request = { status: "degraded", limit: 3 } as const;
  for (const cluster of clusters) {
    yield* outcomes(once(() => reader.listWorstRows(subject, cluster, request)));
    yield* outcomes((await reader.snapshot(subject, cluster)).pages());
  }
  yield* outcomes(once(() => reader.getStatuses(subject, objects)));
}

/** Access keys are numbered in the order in which grants are compiled. They stay in the hub. */
async function* summaries(reader: FleetReader, { subject, clusters }: ReadQuestions): AsyncGenerator {
  for (const cluster of clusters)
    yield* outcomes(
      once(async () => {
        const summary = await reader.summarize(subject, cluster);
        const kinds = summary?.kinds.map((kind) => ({ ...kind, position: 0, receivedAtMs: 0 }));
        return {
          ...summary,
          accessKey: "",
          kinds: [...(kinds ?? [])].sort((a, b) => (a.resource < b.resource ? -1 : 1)),
        };
      }),
    );
}

/** Positions count flushes of all clusters; what a flush without visible changes has is empty. */
async function* changes(reader: FleetReader, { subject }: ReadQuestions): AsyncGenerator {
  const feed = reader.changes(subject);
  for await (const flush of feed.readBack(feed.cursor.position))
    for (const change of flush.changes) yield { cluster: flush.cluster, change };
}

const ofQueries =
  (ask: (queries: FleetQueries, questions: ReadQuestions) => AsyncIterable<unknown>): ReadSurface["ask"] =>
  (reader, questions) =>
    ask(reader.queries(questions.subject), questions);

/** All of them, by name. */
export const readSurfaces: Readonly<Record<string, ReadSurface>> = {
  lists: { ask: ofQueries(lists) },
  groups: { ask: ofQueries(groups) },
  "foreign cursors": { ask: ofQueries(foreign) },
  completions: { ask: ofQueries(completions) },
  problems: { ask: ofQueries(problems) },
  comparisons: { ask: ofQueries(comparisons) },
  relations: { ask: ofQueries(relations) },
  "explanations of access": { ask: ofQueries(explanations) },
  "rules of access": { showsKinds: true, ask: ofQueries(rules) },
  viewers: { ask: ofQueries(viewers) },
  "previews of access": { showsKinds: true, ask: ofQueries(previews) },
  "whole clusters": { ask: wholeClusters },
  summaries: { showsKinds: true, ask: summaries },
  changes: { ask: changes },
};

/** A text that is equal for equal values. */
export function toComparedText(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === "bigint") return `${each}n`;
    if (each instanceof Map || each instanceof Set) return Array.from<unknown>(each);
    return each;
  });
}
