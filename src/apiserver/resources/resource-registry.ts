// SPDX-License-Identifier: Apache-2.0
import { compareVersions } from "../../model/compare-versions.ts";
import type { Resource } from "./resource.ts";

/** The resources of one group at one version, in discovery order. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** One group and its versions, preferred first. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

/**
 * The resources that a logical cluster serves: the built-in ones, and those of its CustomResourceDefinitions, which
 * change.
 */
export class ResourceRegistry {
  readonly #builtin: readonly Resource[];
  #custom: readonly Resource[] = [];
  #byPath: ReadonlyMap<string, Resource>;
  #groups: readonly ServedGroup[];
  #revision = 0;

  constructor(builtin: readonly Resource[]) {
    this.#builtin = builtin;
    this.#byPath = indexByPath(builtin);
    this.#groups = groupResources(builtin);
  }

  /** Incremented at every change, so that documents made from the registry can be cached. */
  get revision(): number {
    return this.#revision;
  }

  /** The core group first, then kube-apiserver's order; custom groups last, by name. */
  get groups(): readonly ServedGroup[] {
    return this.#groups;
  }

  get all(): readonly Resource[] {
    return [...this.#builtin, ...this.#custom];
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    return this.#byPath.get(`${group}/${version}/${resource}`);
  }

  /** Finds a resource by its version-less storage id; the first of several versions. */
  findStored(storageId: string): Resource | undefined {
    return this.all.find((resource) => resource.storageId === storageId);
  }

  /** Finds a resource by kind, as in owner references. */
  findKind(group: string, version: string, kind: string): Resource | undefined {
    return this.all.find(({ facts }) => facts.group === group && facts.version === version && facts.kind === kind);
  }

  /** Whether the group has built-in resources. */
  isBuiltinGroup(group: string): boolean {
    return this.#builtin.some(({ facts }) => facts.group === group);
  }

  /** Replaces all custom resources. */
  setCustom(custom: readonly Resource[]): void {
    this.#custom = custom;
    this.#byPath = indexByPath(this.all);
    this.#groups = groupResources(this.all);
    this.#revision += 1;
  }
}

function indexByPath(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  return new Map(resources.map((each) => [`${each.facts.group}/${each.facts.version}/${each.facts.resource}`, each]));
}

function groupResources(resources: readonly Resource[]): readonly ServedGroup[] {
  const names = [...new Set(resources.map(({ facts }) => facts.group))];
  const custom = new Set(resources.filter(({ isCustom }) => isCustom).map(({ facts }) => facts.group));
  const ordered = [...names.filter((name) => !custom.has(name)), ...names.filter((name) => custom.has(name)).sort()];
  return ordered.map((group) => {
    const ofGroup = resources.filter(({ facts }) => facts.group === group);
    const versions = [...new Set(ofGroup.map(({ facts }) => facts.version))].sort(compareVersions);
    return {
      group,
      versions: versions.map((version) => ({
        group,
        version,
        resources: ofGroup.filter(({ facts }) => facts.version === version),
      })),
    };
  });
}
