// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import type { Binding } from "./rbac-types.ts";
import { subjectTarget } from "./subject-match.ts";

/**
 * Bindings of one namespace that name one subject. Nearly always there is one, so a single binding is held without a
 * map. Sorted lazily, so that a bulk of changes costs one sort.
 */
class Bucket {
  #bindings: Binding | Map<string, Binding> | undefined;
  #sorted: readonly Binding[] | undefined;

  set(binding: Binding): void {
    const held = this.#bindings;
    if (held instanceof Map) held.set(binding.name, binding);
    else if (held === undefined || held.name === binding.name) this.#bindings = binding;
    else this.#bindings = new Map([held, binding].map((each) => [each.name, each]));
    this.#sorted = undefined;
  }

  delete(name: string): void {
    const held = this.#bindings;
    if (held instanceof Map) held.delete(name);
    else if (held?.name === name) this.#bindings = undefined;
    this.#sorted = undefined;
  }

  get isEmpty(): boolean {
    return this.#bindings instanceof Map ? this.#bindings.size === 0 : this.#bindings === undefined;
  }

  /** No order. */
  values(): Iterable<Binding> {
    const held = this.#bindings;
    if (held instanceof Map) return held.values();
    return held === undefined ? [] : [held];
  }

  sorted(): readonly Binding[] {
    this.#sorted ??= [...this.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }
}

/** Subject name to namespace to bindings. Cluster-wide bindings are under the empty namespace. */
type SubjectBuckets = Map<string, Map<string, Bucket>>;

/** Merges lists sorted by name, each binding once. Lazy: a reader that stops early pays only for what it consumed. */
function* mergeByName(lists: readonly (readonly Binding[])[]): Generator<Binding> {
  const cursors = lists.map((list) => ({ list, at: 0 }));
  for (;;) {
    let next: Binding | undefined;
    for (const { list, at } of cursors) {
      const head = list[at];
      if (head !== undefined && (next === undefined || head.name < next.name)) next = head;
    }
    if (next === undefined) return;
    yield next;
    for (const cursor of cursors) if (cursor.list[cursor.at] === next) cursor.at += 1;
  }
}

/** Finds the bindings of a user without scanning those of others. */
export class BindingIndex {
  readonly #users: SubjectBuckets = new Map();
  readonly #groups: SubjectBuckets = new Map();

  add(binding: Binding): void {
    for (const { buckets, subject } of this.#placesOf(binding)) {
      const namespaces = buckets.get(subject) ?? new Map<string, Bucket>();
      const bucket = namespaces.get(binding.namespace) ?? new Bucket();
      bucket.set(binding);
      namespaces.set(binding.namespace, bucket);
      buckets.set(subject, namespaces);
    }
  }

  /** Removes what `add` inserted for the same binding object. */
  remove(binding: Binding): void {
    for (const { buckets, subject } of this.#placesOf(binding)) {
      const namespaces = buckets.get(subject);
      const bucket = namespaces?.get(binding.namespace);
      if (namespaces === undefined || bucket === undefined) continue;
      bucket.delete(binding.name);
      if (bucket.isEmpty) namespaces.delete(binding.namespace);
      if (namespaces.size === 0) buckets.delete(subject);
    }
  }

  /** The bindings of exactly that namespace (empty: cluster-wide) that apply to the user, sorted by name, each once. */
  bindingsOf(user: Subject, namespace: string): Iterable<Binding> {
    const lists: (readonly Binding[])[] = [];
    for (const namespaces of this.#namespacesOf(user)) {
      const bucket = namespaces.get(namespace);
      if (bucket !== undefined) lists.push(bucket.sorted());
    }
    return lists.length === 1 ? (lists[0] ?? []) : mergeByName(lists);
  }

  /**
   * All bindings of both kinds that apply to the user. No order; one that names the user several times is repeated.
   */
  *bindingsFor(user: Subject): Generator<Binding> {
    for (const namespaces of this.#namespacesOf(user)) {
      for (const bucket of namespaces.values()) yield* bucket.values();
    }
  }

  /**
   * The parts of the user that bindings name: whether its own name is one of them, and which of its groups are, sorted
   * and without duplicates. Users with equal parts have the same bindings.
   */
  boundParts(user: Subject): { readonly isUserBound: boolean; readonly groups: readonly string[] } {
    const groups = user.groups.filter((group) => this.#groups.has(group));
    return { isUserBound: this.#users.has(user.user), groups: [...new Set(groups)].sort() };
  }

  *#namespacesOf(user: Subject): Generator<ReadonlyMap<string, Bucket>> {
    const own = this.#users.get(user.user);
    if (own !== undefined) yield own;
    for (const group of user.groups) {
      const ofGroup = this.#groups.get(group);
      if (ofGroup !== undefined) yield ofGroup;
    }
  }

  *#placesOf(binding: Binding): Generator<{ readonly buckets: SubjectBuckets; readonly subject: string }> {
    for (const subject of binding.subjects) {
      const target = subjectTarget(subject, binding.namespace);
      if (target === undefined) continue;
      if ("user" in target) yield { buckets: this.#users, subject: target.user };
      else yield { buckets: this.#groups, subject: target.group };
    }
  }
}
