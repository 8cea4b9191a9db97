// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { PageService } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { LinkHost } from "./link-host.ts";

/** Creates a host with the real clock and network. */
export function createHost(): LinkHost {
  const transport = createConnectTransport({ baseUrl: globalThis.location.origin, useBinaryFormat: true });
  return new LinkHost({
    client: createClient(PageService, transport),
    nowMs: () => performance.now(),
    random: () => Math.random(),
    setTimer: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    whenGone: (lockName) => navigator.locks.request(lockName, () => undefined),
  });
}
