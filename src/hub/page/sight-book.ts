// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Subject } from "../../model/subject.ts";
import type { Authorizer } from "../../rpc/authorize.ts";
import { createViewerAccess, type ViewerAccess } from "../health/viewer-access.ts";
import { heartbeatMs } from "./page-limits.ts";
import type { Scope, ScopeBook } from "./scope-book.ts";

export interface SightBookOptions {
  readonly authorizer: Authorizer;
  readonly log: Logger;
  readonly scopes: ScopeBook;
  readonly nowMs: () => number;
  /** The clusters that there are. */
  readonly clusters: () => Iterable<string>;
}

/** What one user sees, for all streams of that user. */
export class Sight {
  readonly #options: SightBookOptions;
  readonly #access: ViewerAccess;
  /** What was answered of each cluster since permissions were last asked anew. */
  readonly #answers = new Map<string, boolean>();
  #judgedMs: number;
  #seesObjects: boolean;
  #watchesRows: boolean;
  #scope: Scope;
  userCount = 0;

  constructor(options: SightBookOptions, subject: Subject) {
    this.#options = options;
    this.#access = createViewerAccess(options.authorizer, subject, options.log);
    this.#judgedMs = options.nowMs();
    this.#seesObjects = this.#access.seesObjects();
    this.#watchesRows = this.#access.watchesRows();
    this.#scope = this.#judgeScope();
  }

  /** As of the newest `refresh`. */
  get scope(): Scope {
    return this.#scope;
  }

  /** Whether the user may follow changes of rows. */
  get watchesRows(): boolean {
    return this.#watchesRows;
  }

  /** Judges clusters that are new, and everything anew where the answers are as old as a heartbeat (PG12). */
  refresh(areClustersOthers: boolean): void {
    const nowMs = this.#options.nowMs();
    const isOld = nowMs - this.#judgedMs >= heartbeatMs;
    if (isOld) {
      this.#judgedMs = nowMs;
      this.#answers.clear();
      this.#seesObjects = this.#access.seesObjects();
      this.#watchesRows = this.#access.watchesRows();
    }
    if (isOld || areClustersOthers) this.#scope = this.#judgeScope();
  }

  #judgeScope(): Scope {
    const visible: string[] = [];
    const present = new Set(this.#options.clusters());
    for (const id of this.#answers.keys()) if (!present.has(id)) this.#answers.delete(id);
    for (const id of present) {
      const canSee = this.#answers.get(id) ?? this.#access.canSeeCluster(id);
      this.#answers.set(id, canSee);
      if (canSee) visible.push(id);
    }
    return this.#options.scopes.of(visible, this.#seesObjects);
  }
}

/** What the users of open streams see; each user is judged once, however many streams it has. */
export class SightBook {
  readonly #options: SightBookOptions;
  readonly #sights = new Map<string, Sight>();

  constructor(options: SightBookOptions) {
    this.#options = options;
  }

  /** Whoever opens a sight closes it. */
  open(subject: Subject): { readonly sight: Sight; close(): void } {
    const key = keyOf(subject);
    const sight = this.#sights.get(key) ?? new Sight(this.#options, subject);
    this.#sights.set(key, sight);
    sight.userCount += 1;
    let isOpen = true;
    return {
      sight,
      close: () => {
        if (isOpen) sight.userCount -= 1;
        isOpen = false;
        if (sight.userCount === 0 && this.#sights.get(key) === sight) this.#sights.delete(key);
      },
    };
  }

  refresh(areClustersOthers: boolean): void {
    for (const sight of this.#sights.values()) sight.refresh(areClustersOthers);
  }
}

/** Equal for subjects that every right is equal for. */
function keyOf({ user, groups, extra }: Subject): string {
  return JSON.stringify([user, [...groups].sort(), [...(extra ?? [])]]);
}
