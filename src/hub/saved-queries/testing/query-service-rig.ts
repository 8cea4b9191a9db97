// SPDX-License-Identifier: Apache-2.0
import { type Client, createClient, createRouterTransport, type Interceptor } from "@connectrpc/connect";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import { SavedQueryService } from "../../../gen/flotilla/query/v1/saved_query_pb.ts";
import { createSubject } from "../../../model/subject.ts";
import { createErrorTransport } from "../../../rpc/client/error-transport.ts";
import type { Exchange } from "../../../rpc/http/exchange.ts";
import { toConnectError } from "../../../rpc/rpc-error.ts";
import { callerKey, callKey, exchangeKey } from "../../../rpc/server/call-context.ts";
import type { Store } from "../../../store/store.ts";
import { createSavedQueryService } from "../saved-query-service.ts";
import { FakeFleet } from "./fake-fleet-queries.ts";
import { openQueryStore, RecordedAudit } from "./query-store.ts";

/** All that handlers ask of an exchange: where the call comes from. */
const exchange = { request: { socket: { remoteAddress: "127.0.0.1", remotePort: 1 } } } as unknown as Exchange;

/** The service in memory. `root` may manage the queries of all users. */
export class QueryServiceRig {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly audit: RecordedAudit;
  readonly fleet = new FakeFleet();

  private constructor(store: Store, clock: ManualClock) {
    this.store = store;
    this.clock = clock;
    this.audit = new RecordedAudit(store);
  }

  static async open(): Promise<QueryServiceRig> {
    const clock = new ManualClock();
    return new QueryServiceRig(await openQueryStore(clock), clock);
  }

  /** A client of this user; errors are those of the wire. */
  as(user: string, groups: readonly string[] = ["dev"]): Client<typeof SavedQueryService> {
    const { service, implementation } = createSavedQueryService({
      store: this.store,
      audit: this.audit,
      clock: this.clock,
      random: createSeededRandom("service"),
      queriesOf: (subject) => this.fleet.queriesOf(subject),
      authorizer: { isAllowed: (subject, { verb }) => verb === "manage" && subject.user === "root" },
      allowsLoopback: false,
    });
    const asUser: Interceptor = (next) => async (request) => {
      const subject = createSubject({ user, groups });
      request.contextValues.set(callerKey, { tokenId: "tok", subject, ended: new AbortController().signal });
      request.contextValues.set(exchangeKey, exchange).set(callKey, { requestId: "req", log: silentLogger });
      return next(request).catch((reason: unknown) => {
        throw toConnectError(reason, "req");
      });
    };
    const inner = createRouterTransport((router) => router.service(service, implementation), {
      router: { interceptors: [asUser] },
    });
    return createClient(
      SavedQueryService,
      createErrorTransport(inner, { url: "https://127.0.0.1", timeoutMs: 30_000 }),
    );
  }
}
