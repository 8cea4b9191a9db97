// SPDX-License-Identifier: Apache-2.0
import type { Resource } from "./resource.ts";

/** The resources of one group at one version, in the order they are shown. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** One group and its versions, the preferred first. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

/** What a logical cluster serves: the built-in resources, and those its CustomResourceDefinitions make, which come and go. */
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

  /** Counts changes, so that documents made from the registry can be kept. */
  get revision(): number {
    return this.#revision;
  }

  /** The core group first, then as the real server orders them; custom groups last, by name. */
  get groups(): readonly ServedGroup[] {
    return this.#groups;
  }

  get all(): readonly Resource[] {
    return [...this.#builtin, ...this.#custom];
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    return this.#byPath.get(`${group}/${version}/${resource}`);
  }

  /** By the version-less id that objects are stored under; of several versions the first. */
  findStored(storageId: string): Resource | undefined {
    return this.all.find((resource) => resource.storageId === storageId);
  }

  /** By kind, as owner references name it. */
  findKind(group: string, version: string, kind: string): Resource | undefined {
    return this.all.find(({ facts }) => facts.group === group && facts.version === version && facts.kind === kind);
  }

  /** True for a group that is served whatever definitions there are. */
  isBuiltinGroup(group: string): boolean {
    return this.#builtin.some(({ facts }) => facts.group === group);
  }

  /** Puts these in the place of all custom resources so far. */
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

/** Kubernetes' order of versions, the preferred first: stable before beta before alpha, higher numbers before lower, other names last. */
export function compareVersions(a: string, b: string): number {
  const left = versionRank(a);
  const right = versionRank(b);
  if (left === undefined || right === undefined) {
    if (left !== right) return left === undefined ? 1 : -1;
    return a < b ? -1 : Number(a > b);
  }
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Stability, major and minor number of `v1`, `v2beta1`; undefined for any other text. */
function versionRank(text: string): readonly number[] | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(text);
  if (match === null) return undefined;
  const [, major = "0", stage, minor = "0"] = match;
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
}
