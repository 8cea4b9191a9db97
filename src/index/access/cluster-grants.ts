// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import { isRbacPlace, type RbacRow, rbacKindOf, rbacObjectOfRow } from "../../kinds/rbac-rows.ts";
import type { Subject } from "../../model/subject.ts";
import { mastersGroup } from "../../rbac/authorizer-chain.ts";
import { collectGrantScopes } from "../../rbac/grant-scopes.ts";
import { Policy } from "../../rbac/policy.ts";
import type { Binding, RbacKey, RbacObject } from "../../rbac/rbac-types.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import { type GrantFaultList, GrantFaults } from "./grant-faults.ts";
import type { GrantsCache } from "./grants-cache.ts";
import type { SubjectGrants, VisibilityUse } from "./subject-grants.ts";

/** The cluster, and what its grants share with those of others. */
export interface ClusterGrantsOptions {
  readonly cluster: string;
  /** Shared by all clusters. */
  readonly cache: GrantsCache;
}

/** Most subjects whose grants are remembered between changes of a cluster's RBAC objects. */
const maxRememberedSubjects = 1_000;

/**
 * What users may see in one cluster, from the rows of its four RBAC kinds and what applications add to them (AG3).
 * Synchronous: changes made without a read between them take effect in one step, so the caller applies a flush as a
 * whole (L2). An RBAC object takes effect by its newest row alone.
 */
export class ClusterGrants {
  readonly cluster: string;
  /** Changed by `upsert`, `remove` and `setAdded` only. */
  readonly policy = new Policy();
  /** The objects that are not of the cluster, by their keys. */
  readonly #added = new Map<string, RbacObject>();
  readonly #cache: GrantsCache;
  readonly #faults = new GrantFaults();
  #version = 0;
  #own: { readonly version: number; readonly policy: Policy } | undefined;
  /** True if the two maps below are of an older version. */
  #isOutdated = false;
  #bySubject = new WeakMap<Subject, SubjectGrants>();
  /** By the parts of subjects that bindings name. */
  readonly #byParts = new Map<string, SubjectGrants>();

  constructor({ cluster, cache }: ClusterGrantsOptions) {
    this.cluster = cluster;
    this.#cache = cache;
  }

  /** Grows with each change of a rule, a subject or a role of a binding. Other changes of rows do not count. */
  get version(): number {
    return this.#version;
  }

  /** The objects whose rows cannot be read completely. */
  get faults(): GrantFaultList {
    return this.#faults.list();
  }

  /**
   * Applies the newest row of an object of one of `rbacResources`. An object whose row does not parse grants nothing,
   * whatever its older rows granted, and is named in `faults`.
   */
  upsert(resource: string, row: RbacRow): void {
    const kind = kindOf(resource);
    const { namespace, name } = row;
    const object = { resource, namespace, name };
    try {
      this.#put(rbacObjectOfRow(kind, row));
      this.#faults.set(object, unreadableSentence(row));
    } catch (reason) {
      this.remove(resource, namespace, name);
      if (!(reason instanceof FlotillaError)) throw reason;
      this.#faults.set(object, `it grants nothing, because its row cannot be read: ${reason.message}`);
    }
  }

  /** Removes an object of one of `rbacResources`; an unknown one is not an error. */
  remove(resource: string, namespace: string, name: string): void {
    const kind = kindOf(resource);
    this.#faults.set({ resource, namespace, name }, undefined);
    if (!isRbacPlace(kind, namespace)) return;
    const old = this.policy.get({ kind, namespace, name });
    if (old === undefined) return;
    this.policy.delete(old);
    this.#release(old);
    this.#noteChange();
  }

  /**
   * Sets the objects that the hub adds to those of the cluster, in place of the ones before. No object of the cluster
   * may have the key of one of them.
   */
  setAdded(objects: readonly RbacObject[]): void {
    const next = new Map(objects.map((object) => [keyText(object), object]));
    for (const [key, object] of this.#added) {
      if (next.has(key)) continue;
      const old = this.policy.get(object);
      this.policy.delete(object);
      if (old !== undefined) this.#release(old);
      this.#added.delete(key);
      this.#noteChange();
    }
    for (const [key, object] of next) {
      this.#put(object);
      this.#added.set(key, object);
    }
  }

  /** The RBAC objects of the cluster alone: the policy by which the cluster itself decides. */
  clusterPolicy(): Policy {
    if (this.#added.size === 0) return this.policy;
    if (this.#own?.version !== this.#version) {
      const policy = new Policy();
      for (const object of this.policy.objects()) if (!this.#added.has(keyText(object))) policy.upsert(object);
      this.#own = { version: this.#version, policy };
    }
    return this.#own.policy;
  }

  /** Releases what the cluster shares with others. The object must not be used afterwards. */
  close(): void {
    const objects = [...this.policy.objects()];
    for (const object of objects) {
      this.policy.delete(object);
      this.#release(object);
    }
    this.#noteChange();
  }

  /** The present grants of a subject of this cluster. Take them anew after a change. */
  grantsOf(subject: Subject): SubjectGrants {
    if (this.#isOutdated) {
      this.#bySubject = new WeakMap();
      this.#byParts.clear();
      this.#isOutdated = false;
    }
    const known = this.#bySubject.get(subject);
    if (known !== undefined && !known.isDropped) return known;
    const grants = this.#findGrants(subject);
    this.#bySubject.set(subject, grants);
    return grants;
  }

  /** What a subject of this cluster may see of a resource; see `SubjectGrants.visibilityOf`. */
  visibilityOf(subject: Subject, resource: string, use: VisibilityUse = "list"): Visibility {
    return this.grantsOf(subject).visibilityOf(resource, use);
  }

  /**
   * Equal for two subjects, of one cluster or two, only if they have the same grants; a key is never given to other
   * grants. Subjects with the same grants at one version have the same key unless the cache dropped it in between.
   */
  grantsKey(subject: Subject): number {
    return this.grantsOf(subject).key;
  }

  #findGrants(subject: Subject): SubjectGrants {
    const { isUserBound, groups } = this.policy.boundParts(subject);
    const parts = JSON.stringify([isUserBound ? subject.user : null, subject.groups.includes(mastersGroup), groups]);
    const known = this.#byParts.get(parts);
    if (known !== undefined && !known.isDropped) return known;
    const grants = this.#cache.get(collectGrantScopes(this.policy, subject));
    if (this.#byParts.size >= maxRememberedSubjects) this.#byParts.clear();
    this.#byParts.set(parts, grants);
    return grants;
  }

  #put(object: RbacObject): void {
    const old = this.policy.get(object);
    const next = this.#acquire(object);
    if (old !== undefined && isSame(old, next)) {
      this.#release(next);
      return;
    }
    this.policy.upsert(next);
    if (old !== undefined) this.#release(old);
    this.#noteChange();
  }

  #acquire(object: RbacObject): RbacObject {
    const { ruleLists, roleRefs, subjectLists } = this.#cache;
    if ("rules" in object) return { ...object, rules: ruleLists.acquire(object.rules) };
    return { ...object, roleRef: roleRefs.acquire(object.roleRef), subjects: subjectLists.share(object.subjects) };
  }

  #release(object: RbacObject): void {
    if ("rules" in object) this.#cache.ruleLists.release(object.rules);
    else this.#cache.roleRefs.release(object.roleRef);
  }

  #noteChange(): void {
    this.#version += 1;
    this.#isOutdated = true;
  }
}

function keyText({ kind, namespace, name }: RbacKey): string {
  return JSON.stringify([kind, namespace, name]);
}

function kindOf(resource: string): RbacKey["kind"] {
  const kind = rbacKindOf(resource);
  assert(kind !== undefined, "only rows of RBAC resources change grants");
  return kind;
}

/** Compares objects with the same key whose rules and role references are shared values. */
function isSame(a: RbacObject, b: RbacObject): boolean {
  if ("rules" in a) return "rules" in b && a.rules === b.rules;
  return !("rules" in b) && a.roleRef === b.roleRef && hasSameSubjects(a, b);
}

function hasSameSubjects(a: Binding, b: Binding): boolean {
  return a.subjects === b.subjects || JSON.stringify(a.subjects) === JSON.stringify(b.subjects);
}

function unreadableSentence({ columns }: RbacRow): string | undefined {
  const count = columns.get("unreadableCount");
  if (typeof count !== "number" || count <= 0) return undefined;
  return `${count} of its rules or subjects cannot be read and grant nothing`;
}
