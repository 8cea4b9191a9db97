// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Subject } from "../../model/subject.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { createViewerAccess, type ViewerAccess } from "../access/viewer-access.ts";
import { heartbeatMs } from "./page-limits.ts";
import type { Scope, ScopeCache } from "./scope-cache.ts";

export interface UserScopesOptions {
  readonly authorizer: CallAuthorizer;
  readonly log: Logger;
  readonly scopes: ScopeCache;
  readonly nowMs: () => number;
  /** The ids of all clusters. */
  readonly clusters: () => Iterable<string>;
}

/** What one user may see, shared by all its streams. */
export class UserScope {
  readonly #options: UserScopesOptions;
  readonly #access: ViewerAccess;
  /** Decisions per cluster since permissions were last checked. */
  readonly #decisions = new Map<string, boolean>();
  #checkedMs: number;
  #seesObjects: boolean;
  #watchesRows: boolean;
  #scope: Scope;
  streamCount = 0;

  constructor(options: UserScopesOptions, subject: Subject) {
    this.#options = options;
    this.#access = createViewerAccess(options.authorizer, subject, options.log);
    this.#checkedMs = options.nowMs();
    this.#seesObjects = this.#access.seesObjects();
    this.#watchesRows = this.#access.watchesRows();
    this.#scope = this.#checkScope();
  }

  get subject(): Subject {
    return this.#access.subject;
  }

  /** Whether the user may read rows now. Checks the permission, unlike `scope`. */
  canReadNow(): boolean {
    return this.#access.seesObjects();
  }

  /** As `canReadNow`, for changes of rows. */
  canWatchNow(): boolean {
    return this.#access.watchesRows() && this.canReadNow();
  }

  /** As of the last `refresh`. */
  get scope(): Scope {
    return this.#scope;
  }

  /** Whether the user may watch changes of rows. */
  get watchesRows(): boolean {
    return this.#watchesRows;
  }

  /** Checks new clusters, and everything again when decisions are as old as a heartbeat interval (PG12). */
  refresh(membershipChanged: boolean): void {
    const nowMs = this.#options.nowMs();
    const isOld = nowMs - this.#checkedMs >= heartbeatMs;
    if (isOld) {
      this.#checkedMs = nowMs;
      this.#decisions.clear();
      this.#seesObjects = this.#access.seesObjects();
      this.#watchesRows = this.#access.watchesRows();
    }
    if (isOld || membershipChanged) this.#scope = this.#checkScope();
  }

  #checkScope(): Scope {
    const visible: string[] = [];
    const present = new Set(this.#options.clusters());
    for (const id of this.#decisions.keys()) if (!present.has(id)) this.#decisions.delete(id);
    for (const id of present) {
      const canSee = this.#decisions.get(id) ?? this.#access.canSeeCluster(id);
      this.#decisions.set(id, canSee);
      if (canSee) visible.push(id);
    }
    return this.#options.scopes.of(visible, this.#seesObjects);
  }
}

/** What the users of open streams may see. Each user is checked once, regardless of its number of streams. */
export class UserScopes {
  readonly #options: UserScopesOptions;
  readonly #users = new Map<string, UserScope>();

  constructor(options: UserScopesOptions) {
    this.#options = options;
  }

  /** Opens a user's access; the caller must close it. */
  open(subject: Subject): { readonly user: UserScope; close(): void } {
    const key = keyOf(subject);
    const user = this.#users.get(key) ?? new UserScope(this.#options, subject);
    this.#users.set(key, user);
    user.streamCount += 1;
    let isOpen = true;
    return {
      user,
      close: () => {
        if (isOpen) user.streamCount -= 1;
        isOpen = false;
        if (user.streamCount === 0 && this.#users.get(key) === user) this.#users.delete(key);
      },
    };
  }

  /**
   * The user as which rows are read for all viewers that see objects: until rows are filtered by each cluster's RBAC,
   * all of them get the same answer. Undefined if no viewer may read rows.
   */
  findRowReader(): Subject | undefined {
    for (const user of this.#users.values()) if (user.scope.seesObjects && user.canReadNow()) return user.subject;
    return undefined;
  }

  /** Whether some viewer sees objects, as of the last `refresh`. */
  get hasObjectViewer(): boolean {
    return [...this.#users.values()].some(({ scope }) => scope.seesObjects);
  }

  refresh(membershipChanged: boolean): void {
    for (const user of this.#users.values()) user.refresh(membershipChanged);
  }
}

/** Equal for subjects with equal permissions. */
function keyOf({ user, groups, extra }: Subject): string {
  return JSON.stringify([user, [...groups].sort(), [...(extra ?? [])]]);
}
