// SPDX-License-Identifier: Apache-2.0
import { SystemService } from "../gen/flotilla/admin/v1/admin_pb.ts";
import { callerOf } from "../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../rpc/server/connect-router.ts";
import type { Store } from "../store/store.ts";

/** SystemService: the hub's version, and the caller's identity. */
export function createSystemService(store: Store, version: string): ServiceEntry {
  return serviceEntry(SystemService, {
    getVersion: () => ({ version, storeId: store.storeId, revision: store.revision }),
    whoAmI(_request, context) {
      const { subject } = callerOf(context.values);
      return { user: subject.user, groups: [...subject.groups] };
    },
  });
}
