// SPDX-License-Identifier: Apache-2.0
import { PageService } from "../../gen/flotilla/page/v1/page_pb.ts";
import { callerOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import type { PageStreams } from "./page-streams.ts";

/** PageService over the open streams. */
export function createPageService(streams: PageStreams): ServiceEntry {
  return serviceEntry(PageService, {
    async *open({ subscriptions }, { signal, values }) {
      yield* streams.open(callerOf(values), subscriptions, signal);
    },

    async subscribe({ streamId, subscription }, { values }) {
      streams.subscribe(callerOf(values), streamId, subscription);
      return {};
    },

    async unsubscribe({ streamId, subscriptionId }, { values }) {
      streams.unsubscribe(callerOf(values), streamId, subscriptionId);
      return {};
    },
  });
}
