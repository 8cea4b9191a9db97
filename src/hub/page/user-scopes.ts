// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Subject } from "../../model/subject.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { createViewerAccess, type ViewerAccess } from "../access/viewer-access.ts";
import type { FleetReader } from "../rows/fleet-reader.ts";
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

/** By cluster, which of its objects a user sees; see `Scope.accessKeys`. */
type AccessKeys = ReadonlyMap<string, string>;

/** By cluster and access key, one user as which its rows are read for all viewers with that key. */
export type RowReaders = ReadonlyMap<string, ReadonlyMap<string, Subject>>;

/** What one user may see, shared by all its streams. */
export class UserScope {
  readonly #options: UserScopesOptions;
  readonly #access: ViewerAccess;
  /** Decisions per cluster since permissions were last checked. */
  readonly #decisions = new Map<string, boolean>();
  #checkedMs: number;
  #seesObjects: boolean;
  #watchesRows: boolean;
  /** Undefined before it was read. */
  #accessKeys: AccessKeys | undefined;
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

  /** Whether the user may see objects, as of the last `refresh`. */
  get seesObjects(): boolean {
    return this.#seesObjects;
  }

  /** Whether the user sees objects and which was not read yet. */
  get isUnread(): boolean {
    return this.#seesObjects && this.#accessKeys === undefined;
  }

  /** Which objects the user sees, as read last. The scope follows at once, so that nothing older is shown. */
  setAccessKeys(accessKeys: AccessKeys | undefined): void {
    this.#accessKeys = accessKeys;
    this.#scope = this.#checkScope();
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
    return this.#options.scopes.of(visible, this.#seesObjects ? this.#accessKeys : undefined);
  }
}

/** What the users of open streams may see. Each user is checked once, regardless of its number of streams. */
export class UserScopes {
  readonly #options: UserScopesOptions;
  readonly #users = new Map<string, UserScope>();
  #accessVersion = -1;

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

  /** Reads which objects each user sees, if that may have changed. Users that may not read rows now see none. */
  async readAccess(reader: Pick<FleetReader, "loadAccessVersion" | "listAccessKeys">): Promise<RowReaders> {
    const version = await reader.loadAccessVersion();
    const users = [...this.#users.values()].filter((user) => user.seesObjects && user.canReadNow());
    const outdated = version === this.#accessVersion ? users.filter(({ isUnread }) => isUnread) : users;
    const keys = outdated.length === 0 ? [] : await reader.listAccessKeys(outdated.map(({ subject }) => subject));
    for (const [at, user] of outdated.entries()) user.setAccessKeys(keys[at]);
    this.#accessVersion = version;
    return toReaders(users);
  }

  /** Whether the access of some viewer that sees objects was not read yet. */
  get hasUnread(): boolean {
    return [...this.#users.values()].some(({ isUnread }) => isUnread);
  }

  refresh(membershipChanged: boolean): void {
    for (const user of this.#users.values()) user.refresh(membershipChanged);
  }
}

function toReaders(users: readonly UserScope[]): RowReaders {
  const readers = new Map<string, Map<string, Subject>>();
  for (const { scope, subject } of users) {
    for (const [cluster, key] of scope.accessKeys) {
      const ofCluster = readers.get(cluster) ?? new Map<string, Subject>();
      readers.set(cluster, ofCluster);
      if (!ofCluster.has(key)) ofCluster.set(key, subject);
    }
  }
  return readers;
}

/** Equal for subjects with equal permissions. */
function keyOf({ user, groups, extra }: Subject): string {
  return JSON.stringify([user, [...groups].sort(), [...(extra ?? [])]]);
}
