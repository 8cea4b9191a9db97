// SPDX-License-Identifier: Apache-2.0
// A user who gets and loses access again and again, and everything that shows when it is lost.
import { createClient, type Transport } from "@connectrpc/connect";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { type GrantPlace, grants } from "../../test/kubernetes/access/grant-access.ts";
import { LiveView } from "../../test/kubernetes/access/live-view.ts";
import { untilTrue } from "../support/bench-hub.ts";

/** The changes that take access away; an aggregated role needs a controller, which API servers here do not have. */
const ways = ["a deleted RoleBinding of the user", "a role without its rules", "a RoleBinding without the group"];

/** Pause between two lists: a reader that asks again and again, without taking the hub's time from the others. */
const listPauseMs = 5;

/** Milliseconds from the sending of one change until each noticed it. */
export interface Revocation {
  /** The first list of the hub without the rows. */
  readonly listMs: number;
  /** The update of the open live view. */
  readonly viewMs: number;
  /** A watch of the same API server by another client. */
  readonly watchMs: number;
  /** A client that asks for a SubjectAccessReview at an interval; undefined if the server has no such reviews. */
  readonly pollMs: number | undefined;
}

/** How other clients of the same API server notice a change. */
export interface Observers {
  /** Resolves at the next event of the object of that name, of any RBAC kind. */
  nextEvent(name: string): Promise<void>;
  /** Resolves when a poll finds that the user may not list; undefined where polls are not possible. */
  untilPolled: ((user: string, namespace: string, group: string) => Promise<void>) | undefined;
}

/** One user with a live view of one namespace. Close it. */
export class RevokedUser {
  readonly #place: GrantPlace;
  readonly #observers: Observers;
  readonly #query: string;
  readonly #queries: ReturnType<typeof createClient<typeof QueryService>>;
  readonly #view: LiveView;
  #round = 0;

  constructor(transport: Transport, place: GrantPlace, observers: Observers) {
    this.#place = place;
    this.#observers = observers;
    this.#query = `kind:ConfigMap ns:${place.namespace}`;
    this.#queries = createClient(QueryService, transport);
    this.#view = new LiveView(transport, this.#query);
  }

  /** Grants access, waits until it is seen, takes it away and measures. */
  async revoke(): Promise<Revocation> {
    const round = this.#round;
    this.#round += 1;
    const { namespace, user, group } = this.#place;
    const name = `${user}-${round}`;
    const grant = grants[ways[round % ways.length] ?? ""];
    if (grant === undefined) throw new Error("the bench names a grant that does not exist");
    const takeAway = await grant(this.#place, name);
    await untilTrue("the access", async () => (await this.#total()) > 0 && this.#view.state.total > 0);
    const { nextEvent, untilPolled } = this.#observers;
    const startedMs = performance.now();
    const taken = async (noticed: Promise<void>): Promise<number> => {
      await noticed;
      return performance.now() - startedMs;
    };
    const watched = taken(nextEvent(name));
    const viewed = taken(this.#view.untilTotal(0));
    const done = takeAway();
    const [listMs, viewMs, watchMs, pollMs] = await Promise.all([
      taken(this.#untilListed(0)),
      viewed,
      watched,
      untilPolled === undefined ? undefined : taken(untilPolled(user, namespace, group)),
      done,
    ]);
    return { listMs, viewMs, watchMs, pollMs };
  }

  close(): Promise<void> {
    return this.#view.close();
  }

  async #total(): Promise<number> {
    return Number((await this.#queries.listObjects({ query: this.#query, limit: 50 })).total);
  }

  async #untilListed(total: number): Promise<void> {
    while ((await this.#total()) !== total) await new Promise((resolve) => setTimeout(resolve, listPauseMs));
  }
}
