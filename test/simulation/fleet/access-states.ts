// SPDX-License-Identifier: Apache-2.0
// What the hub's index held of each cluster after every flush: its rows, and by its RBAC rows what each user may see.
import type { Clock } from "../../../src/base/time/clock.ts";
import type { FleetIndex } from "../../../src/hub/index/fleet-index.ts";
import type { IndexPort } from "../../../src/hub/index/index-port.ts";
import { engineOf, replaceMethods } from "../../../src/hub/index/testing/in-thread-index.ts";
import type { VisibilityUse } from "../../../src/index/access/subject-grants.ts";
import { naiveVisible } from "../../../src/index/access/testing/naive-visibility.ts";
import { toLists } from "../../../src/index/access/testing/rbac-sample-rows.ts";
import { rbacKindOf, rbacObjectOfRow } from "../../../src/kinds/rbac-rows.ts";
import type { Row } from "../../../src/model/rows/row.ts";
import type { Subject } from "../../../src/model/subject.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";

/** For how long past states are kept: longer than any view may be behind. */
const keptMs = 10_000;

/** A row as it is compared. */
export function rowText({ namespace, name, rowHash }: Pick<Row, "namespace" | "name" | "rowHash">): string {
  return `${namespace}/${name} ${rowHash}`;
}

/** One cluster between two changes. */
export class AccessState {
  readonly #isShown: boolean;
  readonly #rows: ReadonlyMap<string, readonly Row[]>;
  readonly #lists: RbacLists;
  readonly #visible = new Map<string, string>();
  /** When the next state followed, by count of states and by the clock; Infinity while it is the newest. */
  untilCount = Number.POSITIVE_INFINITY;
  untilMs = Number.POSITIVE_INFINITY;

  constructor(rows: ReadonlyMap<string, readonly Row[]>, isShown: boolean) {
    this.#rows = rows;
    this.#isShown = isShown;
    this.#lists = toLists(
      [...rows].flatMap(([resource, all]) => {
        const kind = rbacKindOf(resource);
        return kind === undefined ? [] : all.map((row) => rbacObjectOfRow(kind, row));
      }),
    );
  }

  get resources(): Iterable<string> {
    return this.#rows.keys();
  }

  /** The rows of a resource that the user may see, sorted, as one text. */
  visible(subject: Subject, resource: string, use: VisibilityUse): string {
    const key = `${subject.user} ${resource} ${use}`;
    const known = this.#visible.get(key);
    if (known !== undefined) return known;
    const seen = this.#isShown
      ? (this.#rows.get(resource) ?? []).filter((row) => this.sees(subject, { resource, ...row }, use))
      : [];
    const text = seen.map(rowText).sort().join("\n");
    this.#visible.set(key, text);
    return text;
  }

  /** Whether the user may see an object of that key, there or not. */
  sees(
    subject: Subject,
    { resource, namespace, name }: Pick<Row, "namespace" | "name"> & { readonly resource: string },
    use: VisibilityUse,
  ): boolean {
    return this.#isShown && naiveVisible(this.#lists, subject, { resource, namespace, name }, use);
  }
}

/** The states of all clusters of one process of the hub. */
export class AccessStates {
  readonly #clock: Clock;
  readonly #states = new Map<string, AccessState[]>();
  readonly #fingerprints = new Map<string, string>();
  /** As the hub told its index. */
  readonly #complete = new Set<string>();
  readonly #withheld = new Set<string>();
  #engine: FleetIndex | undefined;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The index, each change of which makes a state. */
  watch(port: IndexPort): IndexPort {
    this.#engine = engineOf(port);
    const note = (set: Set<string>, cluster: string, isIn: boolean): void => {
      if (isIn) set.add(cluster);
      else set.delete(cluster);
    };
    return replaceMethods(port, {
      commit: (cluster, ...args) => this.#around(cluster, () => port.commit(cluster, ...args)),
      applyStored: (cluster, ...args) => this.#around(cluster, () => port.applyStored(cluster, ...args)),
      load: (cluster, ...args) => this.#around(cluster, () => port.load(cluster, ...args)),
      removeCluster: (cluster) => this.#around(cluster, () => port.removeCluster(cluster)),
      setRbacComplete: (cluster, isComplete) =>
        this.#around(cluster, () => {
          note(this.#complete, cluster, isComplete);
          return port.setRbacComplete(cluster, isComplete);
        }),
      setWithheld: (cluster, isWithheld) =>
        this.#around(cluster, () => {
          note(this.#withheld, cluster, isWithheld);
          return port.setWithheld(cluster, isWithheld);
        }),
    });
  }

  /** Looks before a call that can change the cluster, after it has begun, and when it has ended. */
  async #around<Answer>(cluster: string, call: () => Promise<Answer>): Promise<Answer> {
    this.#look(cluster);
    const answering = call();
    this.#look(cluster);
    try {
      return await answering;
    } finally {
      this.#look(cluster);
    }
  }

  /** The number of states so far, as the beginning of a read. */
  get count(): number {
    return this.#count;
  }

  clusters(): Iterable<string> {
    return this.#states.keys();
  }

  /** The states that were the newest one at some moment since that number of states, or since that time. */
  since(cluster: string, from: { readonly count: number } | { readonly ms: number }): readonly AccessState[] {
    const states = this.#states.get(cluster) ?? [];
    return states.filter((state) => ("count" in from ? state.untilCount > from.count : state.untilMs >= from.ms));
  }

  #look(cluster: string): void {
    const tables = this.#engine?.tables;
    if (tables === undefined) return;
    // The rows of a cluster that is removed are gone before the hub says so.
    const isComplete = tables.isRbacComplete(cluster) && this.#complete.has(cluster);
    const isShown = isComplete && !this.#withheld.has(cluster);
    const kinds = tables.summarizeKinds(cluster);
    const places = kinds.map(({ resource, position, rowCount }) => `${resource} ${position} ${rowCount}`);
    const fingerprint = `${isShown}\n${places.join("\n")}`;
    if (this.#fingerprints.get(cluster) === fingerprint) return;
    this.#fingerprints.set(cluster, fingerprint);
    this.#count += 1;
    const nowMs = this.#clock.nowMs();
    const states = this.#states.get(cluster) ?? [];
    const newest = states.at(-1);
    if (newest !== undefined) Object.assign(newest, { untilCount: this.#count, untilMs: nowMs });
    const rows = new Map(
      kinds.map(({ resource }) => [resource, [...(tables.snapshot(cluster, resource)?.rows() ?? [])]]),
    );
    const kept = states.filter(({ untilMs }) => untilMs >= nowMs - keptMs);
    this.#states.set(cluster, [...kept, new AccessState(rows, isShown)]);
  }
}
