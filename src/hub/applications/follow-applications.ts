// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { GrantedApplication } from "../../index/access/application-objects.ts";
import { parseApplicationSelector } from "../../index/access/application-selector.ts";
import type { Revision } from "../../model/revision.ts";
import { followTable } from "../../store/follow-table.ts";
import type { Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { applicationPrefix, fromApplicationBody } from "./application-record.ts";

export interface FollowApplicationsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Takes all applications after each change. */
  readonly set: (applications: readonly GrantedApplication[]) => void;
}

/** Passes the stored applications on until the signal aborts. One that cannot be read shows nothing (L16). */
export async function followApplications(
  { store, clock, random, log, set }: FollowApplicationsOptions,
  signal: AbortSignal,
): Promise<void> {
  const held = new Map<string, GrantedApplication>();
  const publish = (): void => set([...held.values()]);
  let isListed = false;
  await followTable(
    { store, table: objects, prefix: applicationPrefix, what: "following the applications", clock, random, log },
    {
      ids: () => held.keys(),
      set: (id, value, revision) => {
        const application = value === null ? undefined : read(id, value.body, revision, log);
        if (application === undefined) held.delete(id);
        else held.set(id, application);
        if (isListed) publish();
      },
      listed: () => {
        isListed = true;
        publish();
      },
    },
    signal,
  );
}

function read(id: string, body: Uint8Array, revision: Revision, log: Logger): GrantedApplication | undefined {
  try {
    const { name, selector, users, groups } = fromApplicationBody(id, body, revision);
    return { name, selector: parseApplicationSelector(selector), users, groups };
  } catch (reason) {
    if (!hasCode(reason, "STORE_CORRUPT") && !hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    log.error("a stored application cannot be read and shows nothing", { application: id, reason: reason.message });
    return undefined;
  }
}
