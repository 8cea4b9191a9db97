// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../../base/system-clock.ts";
import { systemRandom } from "../../base/system-random.ts";
import type { HubAddress } from "../../cli/hub/find-hub.ts";
import type { OpenTransport } from "./verb.ts";

/** A transport to a hub over the network, loaded only by verbs that call one. */
export const openTransport: OpenTransport = async (address: HubAddress) => {
  const { createHubTransport } = await import("../../rpc/client/client.ts");
  const { chooseHubProxy } = await import("../../rpc/client/hub-proxy.ts");
  const proxy = chooseHubProxy(address.url, process.env);
  return createHubTransport({ ...address, proxy, clock: systemClock, random: systemRandom });
};
