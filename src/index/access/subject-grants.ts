// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import { grantContent } from "../../rbac/grant-content.ts";
import type { GrantScopes } from "../../rbac/grant-scopes.ts";
import { intersectVisibility } from "../../rbac/intersect-visibility.ts";
import { noneVisible, type Visibility, VisibilityCompiler } from "../../rbac/visibility.ts";
import type { VisibilityScope } from "../../rbac/visibility-requests.ts";
import { listScope, watchScope } from "./resource-scope.ts";

/**
 * The use of a row: `list` for answers at one moment, `live` for live views. An object is in a live view if both its
 * list or get, and its watch, are allowed.
 */
export type VisibilityUse = "list" | "live";

/** Numbers of one cache since its creation. */
export interface GrantsCounters {
  hitCount: number;
  missCount: number;
  /** Results that were `none` because they would have exceeded the bound of names. */
  tooLargeCount: number;
}

/** Grants, and the cache that holds them. */
export interface SubjectGrantsOptions {
  /** Given once in the life of the cache. */
  readonly key: number;
  readonly scopes: GrantScopes;
  readonly counters: GrantsCounters;
  readonly maxNames?: number | undefined;
  /** Called with the estimated bytes of each new result. */
  readonly grow: (bytes: number) => void;
}

/** Estimated bytes of an element of a Set or Map of texts that other objects hold. */
const bytesPerElement = 40;

/**
 * The grants of all subjects to which the same roles apply in the same namespaces, and what they make visible. It does
 * not change: after a change of RBAC objects a subject has other grants.
 */
export class SubjectGrants {
  /** Different for different grants. */
  readonly key: number;
  readonly #options: SubjectGrantsOptions;
  readonly #compiler: VisibilityCompiler;
  readonly #results: Readonly<Record<VisibilityUse, Map<string, Visibility>>> = { list: new Map(), live: new Map() };
  readonly #counted = new Set<Visibility>([noneVisible]);
  /** The number of reads of the cache at the last use. */
  usedAt: number;
  /** True after the cache dropped it: it stays valid but keeps no new results. */
  isDropped = false;

  constructor(options: SubjectGrantsOptions) {
    this.key = options.key;
    this.usedAt = options.counters.hitCount + options.counters.missCount;
    this.#options = options;
    this.#compiler = new VisibilityCompiler(options.scopes, options.maxNames);
  }

  /** The grants by their content alone; see `grantContent`. */
  get text(): string {
    return grantContent(this.#options.scopes);
  }

  /**
   * What these grants show of a resource: `apps/deployments`, `pods`. Throws INVALID_ARGUMENT for any other form.
   * Grants with more names than the bound show nothing (L16), and are counted.
   */
  visibilityOf(resource: string, use: VisibilityUse = "list"): Visibility {
    const { counters } = this.#options;
    const results = this.#results[use];
    const known = results.get(resource);
    if (known === undefined) counters.missCount += 1;
    else counters.hitCount += 1;
    this.usedAt = counters.hitCount + counters.missCount;
    if (known !== undefined) return known;
    const visibility = use === "list" ? this.#compile(listScope(resource)) : this.#compileLive(resource);
    if (this.isDropped) return visibility;
    results.set(resource, visibility);
    const isNew = !this.#counted.has(visibility);
    this.#counted.add(visibility);
    this.#options.grow(bytesPerElement + resource.length + (isNew ? visibilityBytes(visibility) : 0));
    return visibility;
  }

  #compileLive(resource: string): Visibility {
    const listed = this.visibilityOf(resource, "list");
    const watched = this.#compile(watchScope(resource));
    return this.#orNone(() => intersectVisibility(listed, watched, this.#options.maxNames));
  }

  #compile(scope: VisibilityScope): Visibility {
    return this.#orNone(() => this.#compiler.compile(scope));
  }

  #orNone(compile: () => Visibility): Visibility {
    try {
      return compile();
    } catch (reason) {
      if (!hasCode(reason, "TOO_LARGE")) throw reason;
      this.#options.counters.tooLargeCount += 1;
      return noneVisible;
    }
  }
}

/** An estimate from above: sets that several results share are counted for each of them. */
function visibilityBytes(visibility: Visibility): number {
  if (visibility.kind !== "some") return 0;
  const { names, namespaces, namesIn, namespaceObjects } = visibility;
  let count = names.size + namespaces.size + namesIn.size + namespaceObjects.size;
  for (const inside of new Set(namesIn.values())) count += inside.size;
  return count * bytesPerElement;
}
